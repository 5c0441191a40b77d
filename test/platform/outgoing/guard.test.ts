import { Resolver } from 'node:dns/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import {
  AddressRefused,
  findUrlFault,
  makePublicLookup,
} from '../../../src/platform/outgoing/refuse-private-addresses.ts'
import { sendOutgoing } from '../../../src/platform/outgoing/send-request.ts'
import { listenLocally } from '../../support/services/listen.ts'
import { startNameServer } from '../../support/services/name-server.ts'

// Nothing here leaves the machine: names are asked of a server on 127.0.0.1, and what is reached is counted
// there.

let port: number
let reached = 0
const listener = createServer((socket) => {
  reached++
  socket.destroy()
})
let names: Awaited<ReturnType<typeof startNameServer>>
const resolver = new Resolver({ timeout: 20_000, tries: 1 })

beforeAll(async () => {
  await new Promise<void>((resolve) => listener.listen(0, '0.0.0.0', resolve))
  port = (listener.address() as { port: number }).port
  names = await startNameServer()
  resolver.setServers([`127.0.0.1:${names.port}`])
})
beforeEach(() => {
  reached = 0
})
afterAll(async () => {
  listener.close()
  await names?.stop()
})

const send = (url: string) =>
  sendOutgoing(
    { url, method: 'POST', headers: {}, body: '{}' },
    { allowPrivate: false, resolve: resolver },
  )

describe('an outgoing request to', () => {
  test.each([
    ['loopback', '127.0.0.1'],
    ['the end of loopback', '127.255.255.254'],
    ['this host', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private, 10/8', '10.0.0.1'],
    ['private, 172.16/12', '172.16.0.1'],
    ['private, the end of 172.16/12', '172.31.255.255'],
    ['private, 192.168/16', '192.168.0.1'],
    ['shared by a provider', '100.64.0.1'],
    ['link-local', '169.254.1.1'],
    ['the metadata of a cloud', '169.254.169.254'],
    ['protocols', '192.0.0.1'],
    ['books', '192.0.2.1'],
    ['books', '198.51.100.1'],
    ['books', '203.0.113.1'],
    ['benchmarks', '198.18.0.1'],
    ['6to4 relays', '192.88.99.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['decimal', '2130706433'],
    ['decimal metadata', '2852039166'],
    ['hexadecimal', '0x7f000001'],
    ['hexadecimal by bytes', '0x7f.0x0.0x0.0x1'],
    ['octal', '017700000001'],
    ['octal by bytes', '0177.0.0.01'],
    ['short', '127.1'],
    ['short, three parts', '127.0.1'],
    ['a lonely nought', '0'],
    ['short and mixed', '0x7f.1'],
    ['a dot at the end', '127.0.0.1.'],
    ['full-width digits', '１２７.０.０.１'],
    ['circled digits', '①②⑦.⓪.⓪.①'],
    ['ideographic dots', '127。0。0。1'],
    ['percent-encoded', '%31%32%37.0.0.1'],
    ['soft hyphens within', '127.0\u00ad.0.1'],
    ['IPv6 loopback', '[::1]'],
    ['IPv6 loopback in full', '[0:0:0:0:0:0:0:1]'],
    ['the unspecified IPv6 address', '[::]'],
    ['IPv6 unique local', '[fd00::1]'],
    ['IPv6 unique local of a cloud', '[fd00:ec2::254]'],
    ['IPv6 link-local', '[fe80::1]'],
    ['IPv6 site-local', '[fec0::1]'],
    ['IPv6 multicast', '[ff02::1]'],
    ['IPv4-mapped', '[::ffff:127.0.0.1]'],
    ['IPv4-mapped in hexadecimal', '[::ffff:7f00:1]'],
    ['IPv4-mapped, though public', '[::ffff:8.8.8.8]'],
    ['IPv4-compatible', '[::127.0.0.1]'],
    ['IPv4-translated', '[::ffff:0:127.0.0.1]'],
    ['NAT64', '[64:ff9b::127.0.0.1]'],
    ['NAT64 of a network within', '[64:ff9b:1::10.0.0.1]'],
    ['6to4', '[2002:7f00:1::]'],
    ['Teredo', '[2001:0:4136:e378:8000:63bf:80ff:fffe]'],
    ['IPv6 books', '[2001:db8::1]'],
    ['IPv6 benchmarks', '[2001:2::1]'],
    ['IPv6 discard', '[100::1]'],
    ['a public name before the @', 'example.com@127.0.0.1'],
    ['a public name and password before the @', 'example.com:x@127.0.0.1'],
    ['a public name before a backslash', '127.0.0.1\\@example.com'],
    ['localhost', 'localhost'],
    ['LOCALHOST.', 'LOCALHOST.'],
    ['a name below localhost', 'hooks.localhost'],
  ])('the host %s is refused as private: %s', async (_, host) => {
    const authority = host.includes('\\') ? host.replace('\\', `:${port}\\`) : `${host}:${port}`
    const url = `https://${authority}/in`
    expect(findUrlFault(url, false)).toBe('private')
    await expect(send(url)).rejects.toThrow('not an address of the internet')
    expect(reached).toBe(0)
  })

  test.each([
    ['a zone', 'https://[fe80::1%25eth0]/'],
    ['a zone, not encoded', 'https://[fe80::1%eth0]/'],
    ['a number that is too large', 'https://4294967296/'],
    ['an address of too many parts', 'https://127.0.0.0.1/'],
    ['no host', 'https://'],
    ['a space', 'https://127.0.0.1 .example.com/'],
  ])('%s is refused as a URL: %s', async (_, url) => {
    expect(findUrlFault(url, false)).toBe('not_a_url')
    await expect(send(url)).rejects.toThrow('is not an address')
  })

  test.each([
    ['file:///etc/passwd', 'not_http'],
    ['gopher://127.0.0.1:25/_HELO', 'not_http'],
    ['ftp://example.com/', 'not_http'],
    ['http://example.com/', 'not_https'],
  ] as const)('%s is refused for its scheme as %s', async (url, fault) => {
    expect(findUrlFault(url, false)).toBe(fault)
    await expect(send(url)).rejects.toThrow('https')
  })

  test.each([
    ['https://8.8.8.8/'],
    ['https://[2606:4700::1111]/'],
    ['https://example.com/'],
    ['https://172.32.0.1/'],
  ])('%s is allowed', (url) => expect(findUrlFault(url, false)).toBeUndefined())
})

describe('a host name', () => {
  test.each([
    ['to this machine', ['127.0.0.1']],
    ['to a network within', ['10.0.0.1']],
    ['to metadata', ['169.254.169.254']],
    ['to several, all private', ['192.168.0.1', '::1', 'fd00::1']],
    ['to IPv6 only', ['::1']],
    ['to a mapped address', ['::ffff:127.0.0.1']],
    ['to NAT64', ['64:ff9b::7f00:1']],
  ])('a host name that resolves %s is refused', async (_, addresses) => {
    names.answer('inside.example', addresses)
    await expect(send(`https://inside.example:${port}/`)).rejects.toThrow(AddressRefused)
    expect(reached).toBe(0)
  })

  const look = (host: string, all = true) =>
    new Promise((resolve, reject) =>
      makePublicLookup(resolver)(host, { all }, (error, found) =>
        error ? reject(error) : resolve(found),
      ),
    )

  test('a host name that resolves to private and public addresses is connected by the public ones only', async () => {
    names.answer('both.example', ['127.0.0.1', '8.8.8.8', '::1', '2606:4700::1111'])
    expect(await look('both.example')).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ])
    expect(await look('both.example', false)).toBe('8.8.8.8')
  })

  test('a host name that resolves differently later is checked again, once for each connection', async () => {
    names.answer('rebind.example', ['8.8.8.8'], ['127.0.0.1'])
    expect(await look('rebind.example')).toEqual([{ address: '8.8.8.8', family: 4 }])
    names.asked.length = 0
    await expect(send(`https://rebind.example:${port}/`)).rejects.toThrow(
      'not an address of the internet',
    )
    expect(names.asked).toEqual(['rebind.example A', 'rebind.example AAAA'])
    expect(reached).toBe(0)
  })

  test('a host name that does not resolve is an error', async () => {
    await expect(send('https://unknown.example/')).rejects.toThrow('ENOTFOUND')
  })
})

test('a redirect to a private address is returned and not followed', async () => {
  const away = createHttpServer((_, res) =>
    res.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end(),
  )
  const { url } = await listenLocally(away)
  const answer = await sendOutgoing(
    { url, method: 'POST', headers: {}, body: '' },
    { allowPrivate: true },
  )
  expect(answer.status).toBe(307)
  expect(reached).toBe(0)
})
