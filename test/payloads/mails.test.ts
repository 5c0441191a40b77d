import { startSmtpFixture } from '../support/server/smtp-fixture.ts'
import { runPayloads } from './run-payloads.ts'

interface Sent {
  /** The lines of the mail. */
  readonly mail: readonly string[]
  /** How its characters become bytes. Default: UTF-8. */
  readonly bytes?: BufferEncoding
}

const { server, hook, mail, sent } = await startSmtpFixture()
const to = await hook({ once_minutes: 0, rate: 1_000, max_parts: 10, recipients: ['+4911111'] })

/** A tool mails to a hook with the preset `text`: the reply of the server, and the text that leaves. */
runPayloads<Sent, { reply?: string; text?: string }>(
  'mails',
  ['answers', 'charsets', 'machines', 'parts'],
  async (_, { mail: lines, bytes = 'utf8' }) => {
    await server.rows('delete from sms_messages')
    const raw = Buffer.from(lines.join('\r\n'), bytes)
    const reply = await mail({ raw, envelope: { from: 'root@nas.example.com', to: [to] } })
    const [text = ''] = await sent()
    return { reply: reply.slice(0, 3), text: text.replace(/^\+4911111 /, '') }
  },
)
