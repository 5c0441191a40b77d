import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stopLater } from '../stops.ts'

/**
 * Has a server listen on 127.0.0.1 until the end of the test file, on a free port unless one is given. `stop`
 * also ends open connections.
 */
export async function listenLocally(server: Server, port = 0) {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const taken = (server.address() as AddressInfo).port
  return {
    url: `http://127.0.0.1:${taken}`,
    port: taken,
    stop: stopLater(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    ),
  }
}
