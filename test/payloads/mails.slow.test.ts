import { readMail } from '../../src/protocols/smtp/read-mail.ts'
import { makePhoto } from '../support/pictures.ts'
import { startSmtpFixture } from '../support/server/smtp-fixture.ts'
import { runPayloads } from './run-payloads.ts'

interface Sent {
  /** The lines of the mail. A line that names one of FILES is its bytes in Base64. */
  readonly mail: readonly string[]
  /** How its characters become bytes. Default: UTF-8. */
  readonly bytes?: BufferEncoding
}

const { server, hook, mail, sent } = await startSmtpFixture()
const to = await hook({ once_minutes: 0, rate: 1_000, max_parts: 10, recipients: ['+4911111'] })

const FILES: Readonly<Record<string, Buffer>> = {
  PHOTO: await makePhoto('iphoneSmall'),
  LOGO: await makePhoto('gnome'),
  FILM: await makePhoto('film'),
  // a picture in HTML itself
  DATA: await makePhoto('iphoneSmall'),
}
const LINE = /.{1,76}/g
const writeFile = (line: string) =>
  FILES[line] ? FILES[line].toString('base64').replace(LINE, '$&\r\n').trimEnd() : line

/**
 * A tool mails to a hook with the preset `text`: the reply of the server, the text that leaves, and the names
 * of the pictures that may leave with it.
 */
runPayloads<Sent, { reply?: string; text?: string; pictures?: readonly string[] }>(
  'mails',
  ['answers', 'charsets', 'machines', 'pages', 'parts', 'pictures'],
  async (_, { mail: lines, bytes = 'utf8' }) => {
    await server.rows('delete from sms_messages')
    const raw = Buffer.from(lines.map(writeFile).join('\r\n'), bytes)
    const reply = await mail({ raw, envelope: { from: 'root@nas.example.com', to: [to] } })
    const [text = ''] = await sent()
    const pictures = await readMail(raw).then(
      ({ fields }) => fields.attachments,
      () => [],
    )
    return { reply: reply.slice(0, 3), text: text.replace(/^\+4911111 /, ''), pictures }
  },
)
