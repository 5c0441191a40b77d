import { createServer } from 'node:net'

const TRIES = 20

/** Finds the first free port of `host`, beginning with `first`. Returns `first` if none is free. */
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
