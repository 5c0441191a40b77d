import type { Server } from 'node:http'
import type { Config } from '../../config.ts'
import { UserError } from '../../errors.ts'

/** Connections waiting to be accepted: Node accepts one a turn of its event loop. Linux has 4,096 at most. */
const BACKLOG = 4_096

/** Opens HOST and PORT of the settings. Throws a UserError that says which of them is wrong. */
export function listen(server: Server, config: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(portError(error, config)))
    server.listen(config.port, config.host, BACKLOG, resolve)
  })
}

function portError(error: Error, config: Config): Error {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE')
    return new UserError(`Port ${config.port} on ${config.host} is taken. Set PORT to another one.`)
  if (code === 'EACCES')
    return new UserError(`Port ${config.port} needs more rights. Set PORT to one above 1023.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new UserError(`HOST ${config.host} is no address of this machine.`)
  return error
}
