import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { requireFreePort } from '../../../src/http/server/free-port.ts'
import { listenOn } from '../../../src/http/server/listen-on-port.ts'

const CONNECTIONS = 128

test.runIf(process.platform === 'linux')(
  'one turn of the event loop accepts several connections and answers each',
  async () => {
    let accepted = 0
    const server = createServer((_, res) => void res.setHeader('connection', 'close').end('here'))
    server.on('connection', () => accepted++)
    const listening = await listenOn(server, { host: '127.0.0.1', port: 0 })
    const port = Number(new URL(listening.url).port)
    await expect(listenOn(createServer(), { host: '127.0.0.1', port })).rejects.toThrow('is taken')
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

test('a taken port is reported with a port that is free, before a server starts', async () => {
  const place = { host: '127.0.0.1', port: 0 }
  await requireFreePort(place)
  const taken = createServer()
  taken.listen(place)
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const said = await requireFreePort({ ...place, port }).catch((error: Error) => error.message)
  const [, free] =
    /^Port \d+ on 127\.0\.0\.1 is taken: .* as PORT=(\d+)\.$/.exec(String(said)) ?? []
  expect(Number(free)).toBeGreaterThan(port)
  await requireFreePort({ ...place, port: Number(free) })
  taken.close()
})

async function refused(port: number): Promise<unknown> {
  const [error] = await once(connect(port, '127.0.0.1'), 'error')
  return error.code
}
