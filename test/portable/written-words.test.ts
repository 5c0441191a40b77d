import { matchesKeyword } from '../../src/gateway/conversations/keyword-match.ts'
import { isOneWordOf, readOptWord } from '../../src/portable/read-opt-word.ts'
import { joinSubject, readWrittenText } from '../../src/portable/written-words.ts'

const WORDS = { out: ['STOP', 'UNSUBSCRIBE', 'KÜNDIGEN'], in: ['START'] }
const mms = (subject: string, words: string) => joinSubject(subject, words)

test.each([
  ['a word without its accents', { body: 'Kundigen' }, true],
  ['a word with accents of its own', { body: 'stóp' }, true],
  ['a subject', mms('Holidays', 'STOP'), true],
  ['a subject of several lines', mms('Our\nholidays ', ' Stop! '), true],
  ['a subject longer than is stored', mms('x'.repeat(300), 'STOP'), true],
  ['a subject that a phone adds', mms('Re: Offer', 'stop'), true],
  ['no subject, as a network writes', mms('(no subject)', 'STOP'), true],
  ['no subject, before the word', { body: '(Kein Betreff) STOP' }, true],
  ['the subject as the word', mms('STOP', ''), true],
  ['the answered subject as the word', mms('RE: STOP', ''), true],
  ['the subject as the word, beside a sentence', mms('Stop', 'no more of these'), true],
  ['an opt-in below an old opt-out as subject', mms('STOP', 'Start'), false],
  ['an opt-in and a subject', mms('Hello', 'START'), false],
  ['an opt-in as the subject of a sentence', mms('Start', 'whenever you like'), undefined],
  ['a subject and a sentence', mms('Bus', 'stop there please'), undefined],
  ['a subject and no words', mms('Holidays', ''), undefined],
  ['two lines of a text without subject', { body: 'Next\nSTOP' }, undefined],
  ['files that were left out', mms('Hi', 'STOP\nAttachment left out: a.jpg image/jpeg'), true],
  ['a subject and names of files', { body: 'Hi\nAttachment: a.jpg', subject: 'Hi' }, undefined],
  ['mentioned files', { body: 'STOP\n[1 file]\n[2 pictures]' }, true],
  ['the layout of an MMS', { body: '<smil><body><par/></body></smil>\nSTOP' }, true],
  ['a signature', mms('Re:', 'STOP\nSent from my iPhone'), true],
  ['a quoted text below', { body: 'STOP\n> Reply STOP to end' }, true],
  ['a quoted text above', { body: '> Sale today!\n> Reply STOP to end\n\nSTOP' }, true],
  [
    'a quote with its date',
    { body: 'Stop\n\nOn Mon, 3 Nov 2026 at 10:00, Shop wrote:\nSale!' },
    true,
  ],
  ['a quoted mail', { body: 'STOP\nFrom: Shop\nSent: Monday\nSubject: Sale' }, true],
  ['spaces and marks that nobody sees', mms('\u200b', '\u00a0S\u200bTOP\u2060\ufeff'), true],
  ['quotation marks', mms('«Hi»', '“STOP”'), true],
  ['a line break of Windows', { body: 'STOP\r\n\r\nSent from Outlook' }, true],
] as const)('an opt-out word is read with %s', (_, text, meaning) =>
  expect(readOptWord(text, WORDS)).toBe(meaning),
)

test.each([
  'Sendt fra min iPhone',
  'Lähetetty iPhonesta',
  'iPhoneから送信',
  '发自我的iPhone',
  '從我的 iPhone 傳送',
  'Отправлено с iPhone',
  'Надіслано з iPhone',
  'أُرسلت من الـ iPhone',
  'נשלח מה-iPhone שלי',
  '나의 iPhone에서 보냄',
  "iPhone'umdan gönderildi",
  'Odesláno z iPhonu',
  'iPhone-ról küldve',
  'Στάλθηκε από το iPhone μου',
  'Trimis de pe iPhone-ul meu',
  'Đã gửi từ iPhone của tôi',
  'मेरे iPhone से भेजा गया',
])('an opt-out word is read above the signature %s', (signature) => {
  for (const end of ['\n', '\n\n', '\r\n', '\r', '\u2028', '\n\u2003'])
    expect(readOptWord({ body: `STOP${end}${signature}` }, WORDS)).toBe(true)
  expect(readOptWord({ body: `${signature} STOP` }, WORDS)).toBeUndefined()
})

test.each([
  'VS: ',
  'Ynt: ',
  'Отв: ',
  'Тема: ',
  '回复：',
  '回覆: ',
  '件名：',
  '(無題)\n',
  '（无主题） ',
  '【件名なし】',
  '(без темы) ',
  '(intet emne) ',
  '(uten emne)\n',
  '제목 없음: ',
  '(بلا موضوع) ',
  'השב: ',
])('an opt-out word is read after what a phone adds: %s', (added) => {
  expect(readOptWord({ body: `${added}STOP` }, WORDS)).toBe(true)
  expect(readOptWord(mms(added, 'Stop'), WORDS)).toBe(true)
  expect(readOptWord({ body: `${added}STOP that` }, WORDS)).toBeUndefined()
})

test('the declaration before the layout of an MMS is no word', () => {
  for (const before of [
    '<?xml version="1.0"?>\n',
    '<?xml?><!DOCTYPE smil PUBLIC "-//W3C" "x.dtd">',
  ])
    expect(readOptWord({ body: `${before}<smil></smil>\nSTOP` }, WORDS)).toBe(true)
})

test.each([
  ['J’ACCEPTE', "j'accepte"],
  ["C'EST OUI", 'C’est\u00a0oui'],
  ['JOIN NEWS', 'join\u200d-news'],
  ['YES', '‘Yes’'],
])('the word %s is the text %s', (word, words) => {
  expect(isOneWordOf(mms('Re: News', words), [word])).toBe(true)
  expect(isOneWordOf(mms('News', `${words} but not now`), [word])).toBe(false)
})

test.each([
  ['words', 'hours', mms('Re: Shop', 'Hours?')],
  ['words', 'hours', mms('Hours', '')],
  ['words', 'opening hours', { body: '“Opening hours”\nSent from my iPhone' }],
  ['first_word', 'price', mms('Question', 'PRICE of this one?')],
  ['first_word', 'price', { body: '"Price" please' }],
  ['contains', 'price', mms('The price', 'Of this one?')],
  ['contains', 'price', { body: 'pri\u200bce' }],
] as const)('the rule %s "%s" matches %j', (kind, value, text) =>
  expect(matchesKeyword(kind, value, text)).toBe(true),
)

test.each([
  ['words', 'hours', mms('Hours', 'of my life')],
  ['first_word', 'question', mms('Question', 'PRICE?')],
  ['contains', 'iphone', { body: 'Hello\nSent from my iPhone' }],
  ['contains', 'jpg', { body: 'Attachment: a.jpg' }],
] as const)('the rule %s "%s" does not match %j', (kind, value, text) =>
  expect(matchesKeyword(kind, value, text)).toBe(false),
)

test('a subject that its carrier repeats in the body is stored once', () => {
  expect(joinSubject('Hi', 'Hi\nSTOP')).toEqual({ body: 'Hi\nSTOP', subject: 'Hi' })
  expect(joinSubject('Hi', '')).toEqual({ body: 'Hi', subject: 'Hi' })
  expect(readWrittenText({ body: 'Hi\nSTOP', subject: 'Hi' })).toEqual({
    subject: 'Hi',
    words: 'STOP',
  })
})
