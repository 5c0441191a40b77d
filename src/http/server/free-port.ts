import { createServer } from 'node:net'
import { UserError } from '../../platform/api-errors.ts'

const TRIES = 20

/** Throws a UserError, which names a free port, if another program has this one. */
export async function requireFreePort({
  host,
  port,
}: {
  readonly host: string
  readonly port: number
}) {
  const free = port === 0 ? port : await findFreePort(port, host)
  if (free === port) return
  throw new UserError(
    `Port ${port} on ${host} is taken: stop the demo or the server that has it, or set another, as PORT=${free}.`,
  )
}

/** Finds the first free port of `host`, beginning with `first`. Returns `first` if none is free. */
export async function findFreePort(first: number, host: string): Promise<number> {
  for (let port = first; port < first + TRIES; port++) if (await isPortFree(port, host)) return port
  return first
}

function isPortFree(port: number, host: string): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve) => {
    // with any other error, the server itself says what is wrong
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}
