import { loadMailLook } from '../../../src/gateway/base/account-look.ts'
import { chooseInk } from '../../../src/portable/choose-ink.ts'
import { makePhoto } from '../../support/pictures.ts'
import { request } from '../../support/server/request.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()
const { db } = server.server.services.store
const ann = await server.makeUser()
const settings = '/api/collections/user_settings/records'
const group = (
  await must(ann, 'POST', '/api/collections/contact_groups/records', {
    user: ann.id,
    name: 'News',
    join_page: true,
  })
).id
const { id } = await must(ann, 'POST', settings, { user: ann.id, account_name: 'Salon "Anna"' })

const upload = (name: string, contents: Buffer) => {
  const form = new FormData()
  form.set('logo', new File([contents], name))
  return request(server.url, 'PATCH', `${settings}/${id}`, form, { authorization: ann.token })
}
const visit = async () => {
  const { text, headers } = await request(server.url, 'GET', `/join/${group}`)
  return { text, policy: headers.get('content-security-policy')! }
}

test('a page without a logo and a color allows no picture', async () => {
  const { text, policy } = await visit()
  expect(text).not.toContain('<img')
  expect(policy).not.toContain('img-src')
})

test('pages and mails of an account have its logo and its color', async () => {
  const logo = await makePhoto('mac')
  expect((await upload('logo.png', logo)).status).toBe(200)
  await must(ann, 'PATCH', `${settings}/${id}`, { color: '#ffcc00' })
  const { text, policy } = await visit()
  const [, path = ''] =
    /<img class="logo" src="\.\.([^"]+)" alt="Salon &#34;Anna&#34;">/.exec(text) ?? []
  expect((await fetch(server.url + path)).headers.get('content-type')).toBe('image/png')
  expect(text).toContain('<style>button { background: #ffcc00; color: #000000 }</style>')
  expect(policy).toMatch(/style-src 'sha256-\S+' 'sha256-\S+'; img-src 'self';/)
  const mailLook = (appUrl: string) => loadMailLook(db, ann.id, { appName: 'Gateway', appUrl })
  const color = { fill: '#ffcc00', ink: '#000000' }
  expect(await mailLook('https://sms.example.com')).toEqual({
    logo: `https://sms.example.com${path}`,
    color,
  })
  // programs for mail show pictures by https only
  expect(await mailLook('http://localhost:8090')).toEqual({ logo: '', color })

  await must(server.superuser, 'DELETE', `/api/collections/users/records/${ann.id}`)
  expect((await fetch(server.url + path)).status).toBe(404)
})

test.each([
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
  [
    'a picture of more than 256 KiB',
    Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(300_000)]),
  ],
])('%s is refused as a logo', async (_, contents) => {
  const ben = await server.makeUser()
  const form = new FormData()
  form.set('user', ben.id)
  form.set('logo', new File([contents], 'logo.png'))
  const answer = await request(server.url, 'POST', settings, form, { authorization: ben.token })
  expect([answer.status, Object.keys(answer.body.data)]).toEqual([400, ['logo']])
})

test.each(['red', '#FFCC00', '#fc0', '#ffcc00;}'])('%s is refused as a color', async (color) => {
  const ben = await server.makeUser()
  const answer = await ben.call('POST', settings, { user: ben.id, color })
  expect([answer.status, Object.keys(answer.body.data)]).toEqual([400, ['color']])
})

test('the words on a color are black or white, with a contrast of 4.5 at least', () => {
  const light = (value: number) =>
    value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
  const steps = [0, 51, 102, 153, 204, 255]
  for (const red of steps)
    for (const green of steps)
      for (const blue of steps) {
        const hex = [red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')
        const all = 0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue)
        const contrast =
          chooseInk(`#${hex}`) === '#000000' ? (all + 0.05) / 0.05 : 1.05 / (all + 0.05)
        expect([hex, contrast >= 4.5]).toEqual([hex, true])
      }
})
