import os; os.environ["SCIPY_ARRAY_API"]="1"
import sys, time, cProfile, pstats, io
import numpy as np, sklearn, torch
sklearn.set_config(array_api_dispatch=True)
from benchmarks.gpu import Library, rows, Counted
from unlabeled import EnhancedLogistic
import unlabeled.blocks._cut as cut, unlabeled.solvers._linear_fit as lf, unlabeled.solvers._rough as rough
dev=sys.argv[1]; n=int(float(sys.argv[2])); p=100
lib=Library("torch",dev); X,s=rows(lib,n,p,"float32")
EnhancedLogistic().fit(X[:100000],s[:100000])
def show(label):
    best=1e9
    for k in range(5):
        with Counted(n) as c: t=lib.seconds(lambda: EnhancedLogistic().fit(X,s))
        if t<best: best,cc=t,c
    print(f"{label}: {best*1e3:.1f} ms, {cc.n_evaluations} evaluations, {1e3*cc.seconds/cc.n_evaluations:.2f} ms each")
show("default")
for e in (2**28,2**31,2**33):
    cut._DEVICE_BLOCK_BYTES=e; show(f"block {e}")
old=lf.part_stride; lf.part_stride=lambda problem: 1; show("no part"); lf.part_stride=old
pr=cProfile.Profile(); pr.enable()
for k in range(3): EnhancedLogistic().fit(X,s); lib.wait()
pr.disable(); f=io.StringIO(); pstats.Stats(pr,stream=f).sort_stats('cumtime').print_stats(60); print("\n".join(l[:130] for l in f.getvalue().splitlines()[4:]))
