import { createServer } from 'node:http'
import { type FetchLimits, fetchFile } from '../../../src/platform/outgoing/fetch-file.ts'
import { makePhoto } from '../../support/pictures.ts'
import { listenLocally } from '../../support/services/listen.ts'

// A file at an address that redirects, as files of Twilio do.

const PICTURE = await makePhoto('whatsapp')

/** A host that answers `/NUMBER` with so many redirects before PICTURE, and other paths by `answers`. */
async function startHost(
  answers: Record<string, readonly [status: number, location?: string]> = {},
) {
  const asked: string[] = []
  const server = createServer(({ url = '', headers }, res) => {
    asked.push(`${headers.host}${url}`)
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('cookie')
    const left = Number(url.slice(1))
    const [status, location] = answers[url] ?? (left > 0 ? [307, `/${left - 1}`] : [200])
    res.writeHead(status, { ...(location && { location }), 'set-cookie': 'a=b' })
    res.end(status === 200 ? PICTURE : '<html>Moved</html>')
  })
  return { ...(await listenLocally(server)), asked }
}

const fetchHere = (url: string, limits: Partial<FetchLimits> & { maxBytes?: number } = {}) =>
  fetchFile(url, limits.maxBytes ?? 1 << 20, {
    allowPrivate: true,
    untilMs: performance.now() + 5_000,
    ...limits,
  })

test.each([301, 302, 303, 307, 308])(
  'a file behind a redirect with %i is fetched',
  async (status) => {
    const { url } = await startHost({ '/media': [status, '/cdn/a.jpg?Signature=a%2Fb'] })
    expect(await fetchHere(`${url}/media`)).toMatchObject({ body: PICTURE, bytes: PICTURE.length })
  },
)

test('a redirect may lead to another host, without credentials', async () => {
  const cdn = await startHost()
  const { url, asked } = await startHost({ '/media': [307, `${cdn.url}/a.jpg#top`] })
  expect(await fetchHere(`${url}/media`)).toMatchObject({ body: PICTURE })
  expect(asked).toHaveLength(1)
  expect(cdn.asked).toEqual([`${new URL(cdn.url).host}/a.jpg`])
})

test.each([
  ['relative to its folder', 'b/a.jpg', '/shop/b/a.jpg'],
  ['without its scheme', 'HOST/a.jpg', '/a.jpg'],
  ['with bytes of UTF-8', Buffer.from('/größe.jpg').toString('latin1'), '/gr%C3%B6%C3%9Fe.jpg'],
  ['with a blank', '/a b.jpg', '/a%20b.jpg'],
])('an address %s is found', async (_, location, path) => {
  const answers: Record<string, readonly [number, string]> = {}
  const { url, asked } = await startHost(answers)
  answers['/shop/media'] = [302, location.replace('HOST', `//${new URL(url).host}`)]
  expect(await fetchHere(`${url}/shop/media`)).toMatchObject({ body: PICTURE })
  expect(asked.at(-1)).toBe(`${new URL(url).host}${path}`)
})

test('ten redirects are followed, and no more', async () => {
  const { url, asked } = await startHost({ '/loop': [302, '/loop'] })
  expect(await fetchHere(`${url}/10`)).toMatchObject({ body: PICTURE })
  const fault = 'it redirects more than 10 times'
  expect(await fetchHere(`${url}/11`)).toMatchObject({ fault, isLate: false })
  asked.length = 0
  expect(await fetchHere(`${url}/loop`)).toMatchObject({ fault })
  expect(asked).toHaveLength(11)
})

test.each<[string, string | undefined, string]>([
  ['to no address', undefined, 'it answered 302'],
  ['to an address that is none', 'https://', 'it answered 302'],
  [
    'to a file of the machine',
    'file:///etc/passwd',
    'file:///etc/passwd is neither http nor https',
  ],
  [
    'to an address with a password',
    'http://ann:secret@127.0.0.1:1/',
    'the address has a user name',
  ],
  ['to a file that is missing', '/missing', 'it answered 404'],
])('a redirect %s has a fault', async (_, location, fault) => {
  const { url } = await startHost({ '/media': [302, location], '/missing': [404] })
  expect(await fetchHere(`${url}/media`)).toMatchObject({ fault, isLate: false })
})

test('a redirect to a closed port, or to a host that is busy, may work later', async () => {
  const { url } = await startHost({
    '/closed': [302, 'http://127.0.0.1:1/'],
    '/busy': [302, '/503'],
    '/503': [503],
  })
  for (const path of ['/closed', '/busy'])
    expect(await fetchHere(url + path)).toMatchObject({ isLate: true })
})

test('redirects and the file share the time and the bytes of the file', async () => {
  const { url } = await startHost()
  const late = await fetchHere(`${url}/3`, { untilMs: performance.now() })
  expect(late).toMatchObject({ fault: 'there was no time left', isLate: true })
  const large = await fetchHere(`${url}/3`, { maxBytes: PICTURE.length - 1 })
  expect(large).toEqual({
    fault: `it has more than ${PICTURE.length - 1} bytes`,
    bytes: PICTURE.length,
    isLate: false,
  })
})
