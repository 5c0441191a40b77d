import { readAnswer } from '../../../../../src/programs/agent/drivers/http/read-answer.ts'
import { carrierOf } from './carrier-fixture.ts'

/** Answers in the form of each carrier's documentation, and their meaning. */
test.each<[preset: string, status: number, answer: string, means: string, error: string]>([
  [
    'pocketsms',
    403,
    '{"error":"destination_not_allowed","message":"Not to this number"}',
    'unsent',
    '403, destination_not_allowed Not to this number',
  ],
  ['pocketsms', 403, '{"error":"account_disabled"}', 'account', '403, account_disabled'],
  ['sinch', 201, '{"id":"01FC66621XXXXX119Z8PMV1QPQ","type":"mt_text"}', 'sent', ''],
  [
    'sinch',
    400,
    '{"code":"syntax_constraint_violation","text":"to is invalid"}',
    'final',
    'to is invalid',
  ],
  ['infobip', 200, infobipAnswer('PENDING', 'PENDING_ACCEPTED'), 'sent', ''],
  ['infobip', 200, infobipAnswer('REJECTED', 'REJECTED_NOT_ENOUGH_CREDITS'), 'account', 'CREDITS'],
  [
    'infobip',
    200,
    infobipAnswer('REJECTED', 'REJECTED_DESTINATION'),
    'final',
    'REJECTED_DESTINATION',
  ],
  [
    'infobip',
    401,
    '{"errorCode":"E401","description":"Unauthorized"}',
    'account',
    'E401 Unauthorized',
  ],
  [
    'seven',
    200,
    '{"success":"100","messages":[{"id":"77","success":true,"error":null}]}',
    'sent',
    '',
  ],
  [
    'seven',
    200,
    '{"success":"202","messages":[{"id":null,"success":false,"error":"202"}]}',
    'final',
    '202',
  ],
  ['seven', 200, '900', 'account', '900'],
  ['seven', 200, '"500"', 'account', '500'],
  ['gatewayapi', 200, '{"msg_id":"01JNN696A9E0WS89FPYGT15NBX","recipient":4512345678}', 'sent', ''],
  [
    'gatewayapi',
    422,
    '{"detail":[{"loc":["body","sender"],"msg":"Field required"}]}',
    'final',
    'required',
  ],
  [
    'gatewayapi',
    403,
    '{"code":"0x0216","message":"Insufficient credit"}',
    'account',
    'Insufficient',
  ],
  [
    'clickatell',
    202,
    '{"messages":[{"apiMessageId":"77fb","accepted":true,"error":null}]}',
    'sent',
    '',
  ],
  [
    'clickatell',
    400,
    '{"messages":[{"apiMessageId":null,"accepted":false,"error":{"code":25,"description":"Invalid recipient"}}]}',
    'final',
    '400, 25 Invalid recipient',
  ],
  ['clickatell', 402, '{"error":{"code":20,"description":"No balance"}}', 'account', 'No balance'],
  ['sinch', 403, '{"code":"illegal_number_type","text":"Not there"}', 'unsent', 'Not there'],
  ['sinch', 403, '{"code":"blocked_account","text":"No credit"}', 'account', 'No credit'],
  ['telnyx', 200, '{"data":{"id":"b0c7e8cb"}}', 'sent', ''],
  [
    'telnyx',
    403,
    telnyxAnswer('40300', 'Blocked due to STOP message'),
    'final',
    '403, 40300 Blocked',
  ],
  [
    'telnyx',
    403,
    telnyxAnswer('10039', 'Only pre-verified destinations'),
    'unsent',
    'pre-verified',
  ],
  ['telnyx', 403, telnyxAnswer('10010', 'Authorization failed'), 'account', 'Authorization'],
  ['telnyx', 400, telnyxAnswer('40305', "Invalid 'from' address"), 'account', 'from'],
  [
    'plivo',
    202,
    '{"message":"message(s) queued","message_uuid":["db3c"],"api_id":"db34"}',
    'sent',
    '',
  ],
  ['vonage', 202, '{"message_uuid":"aaaaaaaa"}', 'sent', ''],
  ['vonage', 403, vonageAnswer(1050, 'Number barred'), 'final', 'Number barred'],
  ['vonage', 403, vonageAnswer(1160, 'Non White-listed Destination'), 'unsent', 'White-listed'],
  ['vonage', 422, vonageAnswer(1060, 'Partner account barred'), 'account', 'account barred'],
  ['messagebird', 201, '{"id":"e8077d80","recipients":{"totalCount":1}}', 'sent', ''],
  [
    'messagebird',
    422,
    '{"errors":[{"code":25,"description":"Not enough balance"}]}',
    'account',
    'balance',
  ],
  [
    'twilio',
    400,
    '{"code":21211,"message":"Invalid To","status":400}',
    'final',
    '400, 21211 Invalid To',
  ],
])('%s: an answer of %i, %s, means %s', (preset, status, answer, means, error) => {
  const verdict = readAnswer(carrierOf(preset), status, answer)
  expect(verdict).toMatchObject({ means, error: error && expect.stringContaining(error) })
})

function telnyxAnswer(code: string, title: string): string {
  return JSON.stringify({ errors: [{ code, title }] })
}

function vonageAnswer(code: number, title: string): string {
  return JSON.stringify({ type: `https://developer.vonage.com/api-errors/messages#${code}`, title })
}

function infobipAnswer(groupName: string, name: string): string {
  const status = { groupId: 1, groupName, id: 26, name, description: name }
  return JSON.stringify({
    bulkId: 'b1',
    messages: [{ messageId: 'm1', status, destination: '49151' }],
  })
}
