import {
  nameOf,
  OWN_NUMBER,
  recordAnswers,
  reportAs,
  type SignIn,
  STOPPED,
  type Step,
  startPlace,
} from '../../support/server/recorder.ts'
import { basic } from '../../support/server/request.ts'

const signIn: SignIn = (values, as) => {
  if (as === 'nobody') return {}
  if (as === 'wrong') return basic(values['sid usual']!, `${values['token usual']}x`)
  return basic(values[`sid ${nameOf(as)}`]!, values[`token ${nameOf(as)}`]!)
}

const TEXT = { To: '+4915111111111', Body: 'Hello' }
const send = (title: string, form: Record<string, string>, more: Partial<Step> = {}): Step => ({
  title,
  method: 'POST',
  path: `/{sid ${nameOf(more.as)}}/Messages.json`,
  form,
  ...more,
})
const get = (title: string, path: string, more: Partial<Step> = {}): Step => ({
  title,
  method: 'GET',
  path: `/{sid ${nameOf(more.as)}}${path}`,
  ...more,
})
const once = { 'idempotency-key': 'key one' }
const IN_2099 = '2099-01-01T00:00:00Z'

const STEPS: readonly Step[] = [
  send('a text', TEXT, { keep: 'one' }),
  send('a number of the account', { ...TEXT, From: OWN_NUMBER }, { keep: 'from' }),
  send('a number with spaces', { ...TEXT, From: '+49 1599 9999999', To: '+49 151 11111111' }),
  send('a number of a device that is off', { ...TEXT, From: '+4915999999990' }),
  send('a number of nobody', { ...TEXT, From: '+4915888888888' }),
  send('a wrong number of the account', { ...TEXT, From: 'x' }),
  send('a name as number of the account', { ...TEXT, From: 'Shop' }),
  send('a short number as number of the account', { ...TEXT, From: '12345' }),
  send('a WhatsApp number', { ...TEXT, To: 'whatsapp:+4915111111111' }),
  send('no number', { Body: 'Hello' }),
  send('a wrong number', { ...TEXT, To: '12' }),
  send('a national number', { ...TEXT, To: '0151 11111111' }),
  send('the same number', { ...TEXT, To: OWN_NUMBER, From: OWN_NUMBER }),
  send('no text', { To: TEXT.To }),
  send('a long text', { ...TEXT, Body: 'a'.repeat(1_601) }),
  send('a text of 1,600', { ...TEXT, Body: 'a'.repeat(1_600) }),
  send('a text that becomes shorter', { ...TEXT, Body: '“Hello”', SmartEncoded: 'true' }),
  send('emoji', { ...TEXT, Body: 'Hello 👋' }),
  send('a service', { ...TEXT, MessagingServiceSid: '{service}' }, { keep: 'service text' }),
  send('a service of nobody', {
    ...TEXT,
    MessagingServiceSid: 'MG00000000000000000000000000000000',
  }),
  send('a time', { ...TEXT, ScheduleType: 'fixed', SendAt: IN_2099 }, { keep: 'later' }),
  send('a time without its kind', { ...TEXT, SendAt: IN_2099 }),
  send('a kind without its time', { ...TEXT, ScheduleType: 'fixed' }),
  send('a time in the past', { ...TEXT, ScheduleType: 'fixed', SendAt: '2020-01-01T00:00:00Z' }),
  send('a validity', { ...TEXT, ValidityPeriod: '60' }),
  send('a wrong validity', { ...TEXT, ValidityPeriod: '0' }),
  send('a callback', { ...TEXT, StatusCallback: 'https://example.com/status' }),
  send('a wrong callback', { ...TEXT, StatusCallback: 'x' }),
  send('a template', { ...TEXT, ContentSid: 'HX1' }),
  send('an unknown parameter', { ...TEXT, Unknown: '1' }),
  send('parameters without effect', { ...TEXT, MaxPrice: '1', ForceDelivery: 'true' }),
  send('a parameter with one value', { ...TEXT, ShortenUrls: 'true' }),
  send('a key', TEXT, { headers: once }),
  send('the key again', TEXT, { headers: once }),
  send('the key with another text', { ...TEXT, Body: 'Other' }, { headers: once }),
  send('a person who has opted out', { ...TEXT, To: STOPPED }),
  send('nobody', TEXT, { as: 'nobody' }),
  send('a wrong key', TEXT, { as: 'wrong' }),
  send('another account', TEXT, { path: '/{sid idle}/Messages.json' }),
  send(
    'a number outside the bounds of the key',
    { ...TEXT, To: '+33612345678' },
    { as: 'bounded' },
  ),
  send('an account without a device', TEXT, { as: 'idle' }),
  send('a number of an account without a device', { ...TEXT, From: OWN_NUMBER }, { as: 'idle' }),
  send('the last text of a quota', TEXT, { as: 'poor' }),
  send('a text beyond the quota', TEXT, { as: 'poor' }),
  { title: 'JSON', method: 'POST', path: '/{sid usual}/Messages.json', body: TEXT },
  get('a text that waits', '/Messages/{one}.json'),
  get('a text of a number', '/Messages/{from}.json'),
  get('a text of a service', '/Messages/{service text}.json'),
  get('a text that waits for its time', '/Messages/{later}.json'),
  get('a text of nobody', '/Messages/SM00000000000000000000000000000000.json'),
  get('a text of another account', '/Messages/{one}.json', { as: 'idle' }),
  get('a text of another key', '/Messages/{one}.json', { as: 'narrow' }),
  send('cancel', { Status: 'canceled' }, { path: '/{sid usual}/Messages/{later}.json' }),
  send('cancel again', { Status: 'canceled' }, { path: '/{sid usual}/Messages/{later}.json' }),
  get('a text that was sent', '/Messages/{one}.json', { before: reportAs('sent') }),
  send('take the text away', { Body: '' }, { path: '/{sid usual}/Messages/{one}.json' }),
  send('another text', TEXT, { keep: 'delivered' }),
  get('a text that was delivered', '/Messages/{delivered}.json', {
    before: reportAs('sent', 'delivered'),
  }),
  send('a third text', TEXT, { keep: 'failed' }),
  get('a text that failed', '/Messages/{failed}.json', { before: reportAs('failed') }),
  get('a list', '/Messages.json?PageSize=3'),
  get('the next page', '/Messages.json?PageSize=3&Page=1'),
  get('a list of a number', `/Messages.json?From=${encodeURIComponent(OWN_NUMBER)}&PageSize=2`),
  get('a list of a recipient', `/Messages.json?To=${encodeURIComponent(STOPPED)}`),
  get('a list of a day', '/Messages.json?DateSent=2020-01-01'),
  get('a wrong page', '/Messages.json?PageSize=0'),
  get('an account', '.json'),
  get('numbers', '/IncomingPhoneNumbers.json'),
  get('files', '/Messages/{one}/Media.json'),
  { title: 'delete', method: 'DELETE', path: '/{sid usual}/Messages/{one}.json' },
]

test("Twilio's API answers each byte as it was recorded", { timeout: 60_000 }, async () => {
  const place = await startPlace()
  place.values.service = place.values['sid usual']!.replace('AC', 'MG')
  const answers = await recordAnswers(place, '/2010-04-01/Accounts', signIn, STEPS)
  await expect(answers).toMatchFileSnapshot('recorded-answers.txt')
})
