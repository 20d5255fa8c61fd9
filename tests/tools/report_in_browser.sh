#!/bin/bash
# A report as a browser shows it: nothing on the console, every figure drawn, links that resolve, no table
# wider than a phone or a tablet. Leaves screenshots of two widths, light and dark, beside the page.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: report_in_browser.sh FOLDER
set -eu
given=$1
folder=$(cd "$given" && pwd)
. "$(dirname "$0")/browser.sh"

# a page around the page measures it from outside
cat >"$room/around.html" <<END
<!doctype html><body><script>
const told = [], frames = [];
function look(width) {
  const page = frames[width].contentDocument, say = text => told.push(width + ' px: ' + text);
  if (page.documentElement.scrollWidth > width) say('scrolls sideways, ' + page.documentElement.scrollWidth);
  // what is behind a click is shut at first, and looked at open
  page.querySelectorAll('details').forEach(d => { if (d.open) say('is open at first: ' + d.textContent.slice(0, 40));
    if (!d.querySelector('summary')) say('nothing to click'); d.open = true; });
  const figures = page.querySelectorAll('figure svg');
  figures.forEach(f => { const b = f.getBBox(), r = f.getBoundingClientRect();
    if (!(b.width > 10 && b.height > 10 && r.width > 300)) say('not drawn: ' + f.getAttribute('aria-label')); });
  if (width < 1000) page.querySelectorAll('table').forEach(t => { const room = t.parentElement;
    if (room.scrollWidth > room.clientWidth) say('a table scrolls sideways: ' + t.textContent.slice(0, 40)); });
  page.querySelectorAll('a').forEach(a => {
    if (!page.getElementById(a.getAttribute('href').slice(1))) say('leads nowhere: ' + a.href); });
  page.querySelectorAll('use').forEach(u => { const h = u.getAttribute('xlink:href') || u.getAttribute('href');
    if (!page.getElementById(h.slice(1))) say('mark without a form: ' + h); });
  const size = parseFloat(frames[width].contentWindow.getComputedStyle(page.body).fontSize);
  if (size < 14) say('letters of ' + size + ' px');
  told.push(width + ' px: ' + figures.length + ' figures looked at');
}
[400, 500, 720, 1400].forEach(width => { const frame = document.createElement('iframe');
  frame.style.cssText = 'border:0;height:900px;width:' + width + 'px';
  frame.src = 'file://$folder/report.html'; frames[width] = frame;
  frame.onload = () => { look(width); document.title = told.join('\\n'); };
  document.body.append(frame); });
</script></body>
END
title_of "file://$room/around.html" >"$room/told"
cat "$room/told"
figures=$(grep -o '<figcaption>' "$folder/report.html" | wc -l)
[ "$figures" -ge 1 ] || { echo 'report: no figure in the page'; exit 1; }
[ "$(grep -c " px: $figures figures looked at" "$room/told")" -eq 4 ] || { echo 'report: not looked at'; exit 1; }
[ "$(grep -c . "$room/told")" -eq 4 ] || { echo 'report: not as it should be'; exit 1; }
if grep 'CONSOLE' "$room/log"; then echo 'report: the console is not silent'; exit 1; fi

for width in 400 1400; do
  for colour in dark light; do
    browser "$(scheme $colour)" --window-size=$width,2000 --screenshot="$folder/report-$width-$colour.png" "file://$folder/report.html"
    [ -s "$folder/report-$width-$colour.png" ] || { echo "report: no screenshot of $width px"; exit 1; }
  done
done
if cmp -s "$folder/report-400-dark.png" "$folder/report-400-light.png"; then
  echo 'report: dark looks like light'
  exit 1
fi
ls "$given"/report-*.png
