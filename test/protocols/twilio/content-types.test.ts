import { gzipSync } from 'node:zlib'
import { pairPhone, startTwilioFixture } from '../../support/twilio/twilio-fixture.ts'

// Bodies of the Twilio API in types and encodings that few programs use.

const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
await pairPhone(fixture, ann, '+4915550000001')
const PATH = `/2010-04-01/Accounts/${ann.sid}/Messages.json`
const FORM = 'application/x-www-form-urlencoded'
const form = (text: string) => new URLSearchParams({ To: '+4915112345678', Body: text }).toString()
/** Posts bytes as they are. */
async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) {
  const authorization = `Basic ${btoa(`${ann.sid}:${ann.token}`)}`
  const answer = await fetch(fixture.gateway.url + PATH, {
    method: 'POST',
    body,
    headers: { authorization, ...headers },
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  return { status: answer.status, body: (await answer.json()) as any }
}

test.each(['gzip, br', 'compress', 'x-own', 'GZIP,GZIP'])(
  'a form in the encoding %s gets 415 in the form of Twilio',
  async (encoding) =>
    expect(
      await post(form('x'), { 'content-type': FORM, 'content-encoding': encoding }),
    ).toMatchObject({
      status: 415,
      body: { code: 20001, status: 415, message: expect.stringContaining('Content-Encoding') },
    }),
)

test.each([
  FORM,
  FORM.toUpperCase(),
  `${FORM}; charset=UTF-8`,
  'Application/X-WWW-Form-Urlencoded',
])('a form of the type %s is read, compressed and not', async (type) => {
  for (const encoding of ['gzip', 'identity']) {
    const text = new TextEncoder().encode(form(`Grüße ${encoding} 你好`))
    const body = encoding === 'gzip' ? new Uint8Array(gzipSync(text)) : text
    const answer = await post(body, { 'content-type': type, 'content-encoding': encoding })
    expect(answer).toMatchObject({ status: 201, body: { body: `Grüße ${encoding} 你好` } })
  }
})

test.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain'])(
  'a body of the type %s is refused',
  async (type) =>
    expect(await post(form('x'), { 'content-type': type })).toMatchObject({
      status: 400,
      body: { code: 20001, message: expect.stringContaining('urlencoded') },
    }),
)
