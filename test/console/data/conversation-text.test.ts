import {
  nameConversationFile,
  writeConversation,
} from '../../../console/src/data/files/conversation-text.ts'

const line = { who: 'Zoë', text: 'Hello', files: 0, state: '' }

test('a conversation as a file has its texts by day, with times, names and files', () => {
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour, 5).toISOString()
  const text = writeConversation('Zoë, +49 1512 345678', [
    { ...line, at: at(24, 9), who: 'Ann', text: 'We open\nat nine', state: 'Failed' },
    { ...line, at: at(23, 14), files: 2, text: '' },
    { ...line, at: at(23, 8) },
  ])
  expect(text.replaceAll('\u202f', ' ')).toBe(`Zoë, +49 1512 345678


Monday, November 23, 2026

8:05 AM Zoë:
Hello

2:05 PM Zoë:
[2 files]


Tuesday, November 24, 2026

9:05 AM Ann (Failed):
We open
at nine
`)
})

test('the name of the file has no characters that file systems refuse', () => {
  expect(nameConversationFile('A/B: "C"')).toBe('Conversation with A B   C .txt')
})
