// Keeps a page as it is now: the server sends the parts that have changed, each with an id, and what charts are drawn from.

const AGAIN_MS = 30_000;
const place = document.querySelector('[data-live]');

let source;
let again;

function connect() {
  clearTimeout(again);
  source = new EventSource(place.dataset.live);
  source.addEventListener('series', ({ data }) => announce('series', JSON.parse(data)));
  source.addEventListener('news', ({ data }) => {
    const { parts, point } = JSON.parse(data);
    replaceParts(parts);
    announce('point', point);
  });
  source.addEventListener('open', () => place.classList.remove('stale'));
  source.addEventListener('error', () => {
    place.classList.add('stale');
    // Otherwise the browser comes again by itself.
    if (source.readyState === EventSource.CLOSED) again = setTimeout(connect, AGAIN_MS);
  });
}

// A browser has few connections to one host: a page that nobody looks at gives its own back.
document.addEventListener('visibilitychange', () => {
  if (place === null) return;
  clearTimeout(again);
  source?.close();
  if (!document.hidden) connect();
});

function announce(name, detail) {
  document.dispatchEvent(new CustomEvent(`live:${name}`, { detail }));
}

function replaceParts(text) {
  const holder = document.createElement('template');
  holder.innerHTML = text;
  for (const fresh of [...holder.content.children]) {
    const old = document.getElementById(fresh.id);
    // What somebody is using is left alone until the next time.
    if (old === null || old.contains(document.activeElement) || old.outerHTML === fresh.outerHTML) continue;
    old.replaceWith(fresh);
  }
}

if (place !== null && !document.hidden) connect();
