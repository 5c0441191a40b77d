import { onTestFinished } from 'vitest'
import { sendOutgoing } from '../../src/platform/outgoing/send-request.ts'
import { fillRequest } from '../../src/programs/agent/drivers/http/fill-request.ts'
import { readAnswer } from '../../src/programs/agent/drivers/http/read-answer.ts'
import { CALLBACK, openDriver, TEXT } from '../programs/agent/drivers/http/carrier-fixture.ts'
import { type Documented, hasDocuments, hasPrism, startPrism } from './openapi-documents.ts'

// Prism plays carriers by the OpenAPI documents that they publish.

const ACCOUNT = { user: `AC${'0'.repeat(32)}`, secret: 'sesame', senders: ['+4930123'] }

/** A driver whose carrier is Prism. Telnyx's document refuses a callback at a local address. */
async function openAtPrism(preset: Documented, code?: number) {
  const prism = await startPrism(preset, code)
  onTestFinished(prism.close)
  return openDriver({ preset, url: prism.url, ...ACCOUNT, callback: CALLBACK })
}

describe.runIf(hasPrism() && hasDocuments())('Prism', () => {
  test.each<[preset: Documented, id: string]>([
    ['twilio', `SM${'a'.repeat(32)}`],
    ['telnyx', '40385f64-5717-4562-b3fc-2c963f66afa6'],
    ['vonage', 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab'],
  ])(
    '%s accepts the request of the preset, which reads the id of the answer',
    async (preset, id) => {
      const { send, carrier } = await openAtPrism(preset)
      expect(await send()).toEqual({ outcome: 'sent' })
      const limits = { allowPrivate: true, maxBodyBytes: 1 << 20, timeoutMs: 30_000 }
      const { status, body } = await sendOutgoing(fillRequest(carrier, TEXT), limits)
      expect(readAnswer(carrier, status, body.toString())).toEqual({ means: 'sent', id, error: '' })
      const refusal = {
        outcome: 'failed',
        error: expect.stringMatching(/^The carrier refused it: 422/),
      }
      expect(await send({ to: '' })).toMatchObject(refusal)
    },
  )

  test.each<[preset: Documented, code: number, result: object, words: RegExp]>([
    ['telnyx', 400, { outcome: 'failed', notSent: false }, /400, string string string/],
    [
      'vonage',
      401,
      { outcome: 'failed', notSent: true },
      /You did not provide correct credentials/,
    ],
    ['vonage', 402, { outcome: 'failed', notSent: true }, /Low balance/],
    ['vonage', 422, { outcome: 'failed', notSent: false }, /did not contain valid JSON/],
    ['vonage', 429, { outcome: 'again' }, /^undefined$/],
    ['vonage', 500, { outcome: 'unknown' }, /^undefined$/],
  ])('%s refuses a text with %i', async (preset, code, result, words) => {
    const { send } = await openAtPrism(preset, code)
    const { error, ...outcome } = { error: undefined, ...(await send()) }
    expect(outcome).toEqual(result)
    expect(String(error)).toMatch(words)
  })
})
