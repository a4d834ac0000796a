// The container's health check: is the process behind the admin port alive?
const port = process.env.ADMIN_PORT ?? '9090';
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_500) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
