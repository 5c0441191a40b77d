import { text } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { stopLater } from '../stops.ts'

/** A mail as it arrived: its envelope's recipient, its subject and its plain part. */
interface ReceivedMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** All of it, as it was sent. */
  readonly raw: string
}

/** An SMTP server on a free port of 127.0.0.1 that takes any mail without encryption. */
export async function startMailServer() {
  const mails: ReceivedMail[] = []
  const waiting: ((mail: ReceivedMail) => void)[] = []
  let given = 0
  const hand = () => {
    while (waiting.length > 0 && given < mails.length) waiting.shift()!(mails[given++]!)
  }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    hideSMTPUTF8: true,
    hide8BITMIME: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 1,
    onMailFrom(_, _session, done) {
      if (!mailServer.refuses) return done()
      mailServer.refused++
      done(Object.assign(new Error('not today'), { responseCode: 550 }))
    },
    onData(stream, { envelope }, done) {
      const take = async () => {
        const raw = (await text(stream)).replaceAll('\r\n', '\n')
        const mail = await PostalMime.parse(raw)
        const to = envelope.rcptTo.at(-1)!.address
        mails.push({ to, subject: mail.subject ?? '', text: mail.text ?? '', raw })
        hand()
      }
      // a client that is killed sends half a mail
      void take().then(() => done(), done)
    },
  })
  server.on('error', () => {})
  const { port } = await new Promise<{ port: number }>((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () =>
      resolve(listening.address() as { port: number }),
    )
  })
  const mailServer = {
    port,
    mails,
    /** While set, every mail is refused. */
    refuses: false,
    /** How many were. */
    refused: 0,
    /** The next mail that has come or comes; each is given once. */
    next: () =>
      new Promise<ReceivedMail>((resolve) => {
        waiting.push(resolve)
        hand()
      }),
    stop: stopLater(() => new Promise<void>((resolve) => server.close(resolve))),
  }
  return mailServer
}

/** The one-time password in a mail; '' for none. */
export const codeIn = (text: string) => /password is: (\d+)/.exec(text)?.[1] ?? ''
