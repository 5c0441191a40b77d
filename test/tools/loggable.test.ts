import { readCall } from '../../src/agent/drivers/http/read-call.ts'
import { CALLBACK, carrierOf } from '../agent/http/carrier-fixture.ts'

test('the names of the fields of an unknown event have neither numbers nor words of people', () => {
  const data = { event_type: 'call.began', 'Call Ann 0151 20000010, Code': 7, n_0151_2000_0010: {} }
  const call = {
    method: 'POST',
    url: `${CALLBACK}?+4915120000010=1`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ data })),
  }
  expect(readCall(carrierOf('clickatell'), call)?.unknown).toEqual([
    ['…', 'data', 'data.event_type', 'data.…', 'data.…'],
  ])
})
