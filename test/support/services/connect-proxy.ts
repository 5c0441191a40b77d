import { createServer } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { stopLater } from '../stops.ts'
import { listenLocally } from './listen.ts'

/**
 * A proxy that answers CONNECT. Wherever it is asked to connect to, it connects to the server of this machine
 * that `servers` has for the port. `asked` lists the targets; `credentials`: the Basic credentials it wants.
 */
export async function startConnectProxy(
  servers: Readonly<Record<number, Server>>,
  credentials = '',
) {
  const asked: string[] = []
  const open = new Set<Socket>()
  const server = createServer((_, response) => void response.writeHead(400).end())
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    asked.push(url)
    const target = servers[Number(url.split(':').at(-1))]
    const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`
    if (wanted && headers['proxy-authorization'] !== wanted)
      return client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    if (!target) return client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const there = connect((target.address() as AddressInfo).port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      there.pipe(client).pipe(there)
    })
    for (const socket of [client, there]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    }
  })
  const { port } = await listenLocally(server)
  // before the server is stopped, which waits for them
  stopLater(() => {
    for (const socket of open) socket.destroy()
  })
  return { port, asked }
}
