// The container's health check: is the process behind the admin port alive?
const { ADMIN_HOST: host = '127.0.0.1', ADMIN_PORT: port = '9090' } = process.env;
const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
try {
  const { ok } = await fetch(`http://${reachable}:${port}/healthz`, { signal: AbortSignal.timeout(2_500) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
