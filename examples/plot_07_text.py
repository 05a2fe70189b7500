"""
Text
====

Posts of a patients' forum: which of them report a side effect of a medicine? A moderator has
flagged some that she came across. Words become sparse columns, and the same classifiers accept
them.
"""

# %%
# The posts
# ---------
# A small grammar writes them, so the truth is known and nothing has to be downloaded. Both kinds of
# post name medicines and complaints. They differ in the sentences they use, except that one, "day
# three of ...", occurs in both. One report in three is flagged.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import precision_score, recall_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import EnhancedLogistic, NaiveLogistic, PULogistic
from unlabeled.datasets import hide_labels

rng = np.random.default_rng(0)
openings = ["hello everybody", "first post here", "long time reader", "short update"]
closings = ["any ideas?", "thanks", "greetings from the coast", "is that normal?"]
medicines = ["the new tablets", "the blue pills", "the nose spray", "the patches", "the syrup"]
complaints = ["a headache", "a rash", "stomach cramps", "a dry mouth", "dizzy spells", "itching"]
both = ["day three of {m}, and still {c}"]
reports = [
    "since I take {m} I have {c}",
    "{c} all day, it began with {m}",
    "had to stop {m} because of {c}",
    "took {m} and got {c} within the hour",
    "{m} gave me {c}",
    *both,
]
others = [
    "{m} helped, and {c} went away",
    "had {c} for weeks until I got {m}",
    "how often do you take {m} against {c}",
    "the pharmacy was out of {m}",
    "can I take {m} with coffee",
    "my doctor wants me to try {m} for {c}",
    "no {c} at all with {m}",
    *both,
]


def write(is_report):
    """Write a post."""
    sentence = rng.choice(reports if is_report else others)
    sentence = sentence.format(m=rng.choice(medicines), c=rng.choice(complaints))
    return f"{rng.choice(openings)}: {sentence}. {rng.choice(closings)}"


y_true = (rng.random(4000) < 0.25).astype(int)
posts = np.array([write(is_report) for is_report in y_true], dtype=object)
s = hide_labels(y_true, label_frequency=1 / 3, random_state=0)
posts, new, s, _, y_true, y_new = train_test_split(posts, s, y_true, random_state=0)
print("flagged:", *posts[s == 1][:3], sep="\n  ")
print("not flagged:", *posts[s == 0][:5], sep="\n  ")

# %%
# From words to a decision
# ------------------------
# Words and pairs of words that occur in 60 posts or more, weighted by how rare they are. The matrix
# stays sparse throughout.

words = TfidfVectorizer(ngram_range=(1, 2), min_df=60)
rows = words.fit_transform(posts)
filled = rows.nnz / np.prod(rows.shape)
print(f"{rows.shape[0]} posts, {rows.shape[1]} columns, {filled:.1%} of the cells filled")

models = {}
for classifier in (NaiveLogistic(C=0.1), EnhancedLogistic(C=0.1), PULogistic()):
    name = type(classifier).__name__
    models[name] = make_pipeline(words, classifier).fit(posts, s)
    found = models[name].predict(new)
    recall, precision = recall_score(y_new, found), precision_score(y_new, found, zero_division=0)
    print(f"{name:16} predicts {found.sum():3d} of {len(new)} posts as reports, ", end="")
    print(f"recall {recall:.2f}, precision {precision:.2f}")
print(f"in truth {y_new.sum()} of them are")
missed = new[(found == 0) & (y_new == 1)]
in_both = sum("day three" in post for post in missed)
print(f"{in_both} of the {len(missed)} reports missed say 'day three of ...'")

# %%
# No post is more likely flagged than not, so the naive classifier predicts no report. No
# classifier could find what PULogistic misses: it is the sentence that occurs in both kinds.
#
# What the decision depends on
# ----------------------------
# The words that count most for and most against a report, per standard deviation of the column: a
# rare pair of words may have a large coefficient and yet decide little.

model = models["PULogistic"]
names, deviation = words.get_feature_names_out(), StandardScaler(with_mean=False).fit(rows).scale_
weight = model[-1].coef_[0] * deviation
largest = np.argsort(weight)[[*range(10), *range(-10, 0)]]

fig, ax = plt.subplots(figsize=(7, 5.5), layout="constrained")
colors = np.where(weight[largest] > 0, "#0072B2", "#D55E00")
ax.barh(names[largest], weight[largest], color=colors)
ax.axvline(0, color="black", lw=0.8)
ax.set(xlabel="coefficient per standard deviation (blue: for a report)")
plt.show()

# %%
# What to read next
# -----------------
# The moderator should read posts that are not flagged, the most probable first. That a post was
# not flagged is evidence against a report, so its chance is below the posterior.

posterior, c = model.predict_proba(posts)[:, 1], model[-1].label_frequency_
probability = np.where(s == 0, (1 - c) * posterior / (1 - c * posterior), 0)
for k in np.argsort(-probability)[:6]:
    print(f"{probability[k]:.2f}  {posts[k]}")
first = np.argsort(-probability)[:200]
print(f"of the first 200 of them {y_true[first].mean():.0%} are reports")
