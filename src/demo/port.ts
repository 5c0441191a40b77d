import { createServer } from 'node:net'

const TRIES = 20

/** The first port from `first` on that is free on `host`; `first` itself when none is. */
export async function freePortFrom(first: number, host: string): Promise<number> {
  for (let port = first; port < first + TRIES; port++) if (await isFree(port, host)) return port
  return first
}

function isFree(port: number, host: string): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}
