import { readTwimlAnswer } from '../../../src/protocols/twilio/twiml.ts'

const XML = '<Response><Message>Gr\xfc\xdfe</Message></Response>'
const latin1 = (head = '') => Buffer.from(head + XML, 'latin1')
const utf8 = (head = '') => Buffer.from(head + XML, 'utf8')
const read = (type: string, body: Buffer) =>
  readTwimlAnswer({ 'content-type': type }, body).messages.map((m) => m.body)

test.each<[what: string, type: string, body: Buffer]>([
  ['UTF-8', 'text/xml', utf8()],
  ['UTF-8 with a byte order mark', 'text/xml', utf8('\ufeff')],
  ['the charset of the type', 'text/xml; charset=iso-8859-1', latin1()],
  [
    'the encoding of the document',
    'application/xml',
    latin1('<?xml version="1.0" encoding="ISO-8859-1"?>'),
  ],
  [
    'the charset of the type before that',
    'text/xml; charset=utf-8',
    utf8("<?xml version='1.0' encoding='latin1'?>"),
  ],
  ['a plain text in Latin-1', 'text/plain; charset="latin1"', Buffer.from('Gr\xfc\xdfe', 'latin1')],
])('an answer is decoded as "Grüße" by %s', (_, type, body) => {
  expect(read(type, body)).toEqual(['Grüße'])
})

test.each<[what: string, type: string, body: Buffer]>([
  ['bytes that are not UTF-8', 'text/xml', latin1()],
  ['an unknown charset', 'text/xml; charset=utf-7', utf8()],
  [
    'an unknown encoding of the document',
    'text/xml',
    utf8('<?xml version="1.0" encoding="x-none"?>'),
  ],
])('an answer with %s is error 12100', (_, type, body) => {
  expect(() => read(type, body)).toThrow(expect.objectContaining({ code: 12100 }))
})
