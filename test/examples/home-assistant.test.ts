import { parse } from 'yaml'
import { client, must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { readExample } from './example.ts'

// Home Assistant is not started: the request is made as its `rest` notifier makes it of these settings.

const TO = '+4915112345678'
const gateway = await startServerWithDevices()
const user = await gateway.makeUser()
beforeAll(() => gateway.pair(user))

const secrets: Readonly<Record<string, string>> = parse(readExample('home-assistant/secrets.yaml'))
const tags = [
  { tag: '!secret', resolve: (name: string) => secrets[name]! },
  { tag: '!include', resolve: (file: string) => parse(readExample(`home-assistant/${file}`)) },
]
const { notify, automation } = parse(readExample('home-assistant/configuration.yaml'), {
  customTags: tags,
})

test('the action of the automation sends its title and message as a text', async () => {
  const hook = { user: user.id, name: 'Home', preset: 'home-assistant', recipients: [TO] }
  const { secret, id } = await must(user, 'POST', '/api/collections/hooks/records', hook)
  const [notifier] = notify
  const [{ actions }] = automation
  expect([notifier.platform, notifier.method]).toEqual(['rest', 'POST_JSON'])
  expect(actions).toMatchObject([{ action: `notify.${notifier.name}` }])
  const { title, message } = actions[0].data
  const home = client(gateway.url, '', notifier.headers.Authorization.replace('SECRET', secret))
  const body = { message, [notifier.title_param_name]: title }
  expect(await must(home, 'POST', new URL(notifier.resource).pathname, body)).toMatchObject({
    outcome: 'sent',
  })
  const texts = await gateway.query('select "to", body from sms_messages where sent_by = $1', [id])
  expect(texts).toEqual([[TO, 'Cellar: Water at the washing machine']])
})
