import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { listen } from '../../../src/http/server/listen.ts'

const CONNECTIONS = 128

test.runIf(process.platform === 'linux')(
  'one turn of the event loop accepts several connections and answers each',
  async () => {
    let accepted = 0
    const server = createServer((_, res) => void res.setHeader('connection', 'close').end('here'))
    server.on('connection', () => accepted++)
    const listening = await listen(server, { host: '127.0.0.1', port: 0 })
    const port = Number(new URL(listening.url).port)
    await expect(listen(createServer(), { host: '127.0.0.1', port })).rejects.toThrow('is taken')
    const clients = Array.from({ length: CONNECTIONS }, () => connect(port, '127.0.0.1'))
    let turns = 0
    for (; accepted < CONNECTIONS; turns++) await turn()
    expect(turns).toBeLessThan(CONNECTIONS / 2)
    for (const client of clients) client.end('GET / HTTP/1.1\r\nhost: a\r\n\r\n').resume()
    await Promise.all(clients.map((client) => once(client, 'close')))
    await listening.stopAccepting()
    expect(await refused(port)).toBe('ECONNREFUSED')
  },
)

async function refused(port: number): Promise<unknown> {
  const [error] = await once(connect(port, '127.0.0.1'), 'error')
  return error.code
}
