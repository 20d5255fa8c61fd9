#!/bin/bash
# The site as a browser shows it, each page at two widths, light and dark: nothing on the console, nothing wider than
# the window, every letter legible, every formula with an extent, every link and picture with a target.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: site_in_browser.sh FOLDER
set -eu
folder=$(cd "$1" && pwd)
. "$(dirname "$0")/browser.sh"
least=${LEAST_PAGES-40}
pages=$(cd "$folder" && find . -name '*.html' -not -path './_*' -printf '"%P",' | sort)

cat >"$room/around.html" <<END
<!doctype html><body><script>
const root = 'file://$folder/', pages = [$pages], told = new Set(), ids = {}, links = new Map();
const numbers = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
const over = (top, below) => [0, 1, 2].map(i => top[i] * (top[3] ?? 1) + below[i] * (1 - (top[3] ?? 1)));
function luminance(colour) {
  const [r, g, b] = colour.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(element, style) {
  const layers = [];
  for (let e = element; e; e = e.parentElement) {
    const colour = numbers(style(e).backgroundColor);
    if (colour[3] !== 0) layers.push(colour);
    if (colour.length === 3 || colour[3] === 1) break;
  }
  const below = layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
  const [a, b] = [luminance(over(numbers(style(element).color), below)), luminance(below)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}
function scrolls(element, style) {
  for (let e = element; e && !e.matches('article, .content'); e = e.parentElement)
    if (/auto|scroll/.test(style(e).overflowX)) return true;
  return false;
}
function look(path, width, frame) {
  const page = frame.contentDocument, view = frame.contentWindow, style = e => view.getComputedStyle(e);
  const say = text => told.add(path + ', ' + width + ' px: ' + text);
  if (page.documentElement.scrollWidth > width) say('is ' + page.documentElement.scrollWidth + ' px wide');
  const tree = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT), seen = new Set();
  while (tree.nextNode()) {
    const e = tree.currentNode.parentElement;
    if (seen.has(e) || !tree.currentNode.data.trim()) continue;
    seen.add(e);
    const box = e.getBoundingClientRect();
    if (!box.width || !e.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    if (box.right > width + 1 && !e.closest('.sidebar-drawer, .toc-drawer') && !scrolls(e, style))
      say('cut off: «' + tree.currentNode.data.trim().slice(0, 30) + '»');
    const ratio = contrast(e, style);
    if (!(ratio >= 4.5)) say('contrast ' + ratio.toFixed(2) + ' of «' + tree.currentNode.data.trim().slice(0, 30) + '»');
  }
  page.querySelectorAll('math').forEach(m => {
    const box = m.getBoundingClientRect();
    if (!(box.width > 3 && box.height > 3)) say('formula not drawn: ' + m.textContent.slice(0, 30)); });
  page.querySelectorAll('img').forEach(i => { if (!i.naturalWidth) say('picture not there: ' + i.src); });
  ids[root + path] = new Set([...page.querySelectorAll('[id]')].map(e => e.id));
  page.querySelectorAll('a[href]').forEach(a => {
    if (a.protocol === 'file:') links.set(a.href, path + ': ' + a.textContent.trim().slice(0, 40)); });
}
const exists = url => new Promise(done => { const r = new XMLHttpRequest();
  r.onload = () => done(true); r.onerror = () => done(false); r.open('HEAD', url); r.send(); });
async function all() {
  for (const width of [400, 1400]) for (const path of pages) {
    const frame = document.createElement('iframe');
    frame.style.cssText = 'border:0;height:900px;width:' + width + 'px';
    frame.src = root + path;
    await new Promise(loaded => { frame.onload = loaded; document.body.append(frame); });
    look(path, width, frame);
    frame.remove();
  }
  for (const [url, from] of links) {
    const [file, id] = url.split('#');
    if (ids[file] ? id && !ids[file].has(decodeURIComponent(id)) : !await exists(file)) told.add(from + ': leads nowhere: ' + url);
  }
  document.title = [...told, pages.length + ' pages and ' + links.size + ' links looked at'].join('\\n');
}
all();
</script></body>
END
failed=0
for colour in light dark; do
  title_of "file://$room/around.html" "$(scheme $colour)" >"$room/told"
  sed "s/^/site, $colour: /" "$room/told"
  [ "$(grep -c . "$room/told")" -eq 1 ] || failed=1
  [ "$(grep -oP '^[0-9]+(?= pages and [1-9])' "$room/told" || echo 0)" -ge "$least" ] || { echo 'site: too few pages were looked at'; failed=1; }
  if grep 'CONSOLE' "$room/log"; then echo 'site: the console is not silent'; failed=1; fi
done
title_of "file://$folder/search.html?q=saltation" >/dev/null
found=$(grep -o '<li class="kind-[a-z]*"' "$room/dom" | wc -l)
echo "site: a search finds $found pages"
[ "$found" -ge 3 ] || failed=1
exit $failed
