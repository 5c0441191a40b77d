/** The first file descriptor that systemd passes. sd_listen_fds(3) */
const FIRST = 3

/**
 * The sockets that systemd keeps open and passes to this process, or to its parent: `bin/pocketsms.js`, or
 * the parent of workers. Empty if there are none: the server then opens its port.
 */
export function listInheritedSockets(env: NodeJS.ProcessEnv = process.env): readonly number[] {
  const { LISTEN_PID, LISTEN_FDS } = env
  if (![process.pid, process.ppid].includes(Number(LISTEN_PID))) return []
  return Array.from({ length: Number(LISTEN_FDS) || 0 }, (_, i) => FIRST + i)
}
