import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isPrivateAddress } from '../../src/outgoing/addresses.ts'
import { sendOutgoing } from '../../src/outgoing/send.ts'

test.each([
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['172.31.255.255', true],
  ['172.32.0.1', false],
  ['192.168.1.1', true],
  ['169.254.169.254', true],
  ['100.64.0.1', true],
  ['0.0.0.0', true],
  ['255.255.255.255', true],
  ['8.8.8.8', false],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['::ffff:8.8.8.8', true],
  ['64:ff9b::7f00:1', true],
  ['2002:7f00:1::', true],
  ['fe80::1', true],
  ['fd00::1', true],
  ['2606:4700::1111', false],
])('%s is private: %s', (address, isPrivate) => expect(isPrivateAddress(address)).toBe(isPrivate))

const server = createServer((req, res) => {
  if (req.url === '/away') res.writeHead(302, { location: '/' })
  res.end()
})
let port: number
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

const send = async (url: string, allowPrivate: boolean) =>
  (await sendOutgoing({ url, method: 'POST', headers: {}, body: 'x' }, { allowPrivate })).status

test('a private address is reached only when that is allowed', async () => {
  expect(await send(`http://127.0.0.1:${port}/`, true)).toBe(200)
  await expect(send(`http://127.0.0.1:${port}/`, false)).rejects.toThrow('https')
  await expect(send(`https://127.0.0.1:${port}/`, false)).rejects.toThrow('not an address of the internet')
  await expect(send(`https://[::1]:${port}/`, false)).rejects.toThrow('not an address of the internet')
})

test('a name that leads to a private address is found out', async () => {
  await expect(send(`https://localhost:${port}/`, false)).rejects.toThrow('not an address of the internet')
})

test('a redirect is not followed', async () => {
  expect(await send(`http://127.0.0.1:${port}/away`, true)).toBe(302)
})
