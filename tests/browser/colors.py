"""Scripts that read the colors of a page."""

from __future__ import annotations

# Contrast of every visible text with the nearest background that is painted, as WCAG defines it.
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (one) => {
    for (let place = one; place; place = place.parentElement) {
      const color = rgba(getComputedStyle(place).backgroundColor);
      if (color[3] === 255) return color;
    }
    return rgba(getComputedStyle(document.documentElement).backgroundColor);
  };
  const texts = [...document.querySelectorAll("body *:not(script, title, desc)")].filter((one) =>
    one.checkVisibility()
    && [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()));
  return texts.map((one) => {
    const style = getComputedStyle(one);
    const ink = light(rgba(one instanceof SVGElement ? style.fill : style.color));
    const ground = light(behind(one));
    const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    return [contrast, `${one.tagName}.${one.getAttribute("class")} ${one.textContent.slice(0, 9)}`];
  });
}"""
GROUND = "getComputedStyle(document.documentElement).backgroundColor"
