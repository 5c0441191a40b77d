import { createServer, type Socket } from 'node:net'
import { stopLater } from '../stops.ts'

/** A mail as it arrived: its envelope's recipient, and its text with the transfer encoding taken off. */
export interface ReceivedMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** All of it, as it was sent. */
  readonly raw: string
}

export interface MailServer {
  readonly port: number
  readonly mails: ReceivedMail[]
  /** While set, every mail is refused. */
  refuses: boolean
  /** How many were. */
  refused: number
  /** While set, it says nothing more to whoever begins a mail (`MAIL`), or has given one in (`END`). */
  silentAt: 'MAIL' | 'END' | undefined
  /** Somebody waits for a word of it. */
  keepsWaiting: boolean
  /** The next mail that has come or comes; each is given once. */
  next(): Promise<ReceivedMail>
  stop(): Promise<void>
}

/** A small SMTP server on a free port of 127.0.0.1 that takes any mail without encryption. RFC 5321 */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const waiting: ((mail: ReceivedMail) => void)[] = []
  const sockets = new Set<Socket>()
  let given = 0
  const hand = () => {
    while (waiting.length > 0 && given < mails.length) waiting.shift()!(mails[given++]!)
  }
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}))
    converse(
      socket,
      () => mailServer,
      (mail) => {
        mails.push(mail)
        hand()
      },
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const mailServer: MailServer = {
    port: (server.address() as { port: number }).port,
    mails,
    refuses: false,
    refused: 0,
    silentAt: undefined,
    keepsWaiting: false,
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        hand()
      }),
    stop: stopLater(
      () =>
        new Promise<void>((resolve) => {
          for (const socket of sockets) socket.destroy()
          server.close(() => resolve())
        }),
    ),
  }
  return mailServer
}

function converse(
  socket: Socket,
  mood: () => Pick<MailServer, 'refuses' | 'refused' | 'silentAt' | 'keepsWaiting'>,
  received: (mail: ReceivedMail) => void,
): void {
  let to = ''
  let data: string | undefined
  let rest = ''
  const commands: Record<string, (line: string) => string> = {
    EHLO: () => '250 mail.test',
    HELO: () => '250 mail.test',
    MAIL() {
      if (!mood().refuses) return '250 ok'
      mood().refused++
      return '550 not today'
    },
    RCPT(line) {
      to = /<(.*?)>/.exec(line)?.[1] ?? ''
      return '250 ok'
    },
    DATA() {
      data = ''
      return '354 go on'
    },
    QUIT: () => '221 bye',
    RSET: () => '250 ok',
  }
  const mayAnswer = (isThere: boolean, at: MailServer['silentAt']) => {
    if (!isThere || mood().silentAt !== at) return true
    mood().keepsWaiting = true
    return false
  }
  const answer = (line: string) => commands[line.slice(0, 4).toUpperCase()]?.(line) ?? '502 unknown'
  socket.write('220 mail.test\r\n')
  socket.on('data', (chunk) => {
    const lines = (rest + chunk).split('\r\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (data === undefined && !mayAnswer(/^MAIL/i.test(line), 'MAIL')) continue
      if (data === undefined) socket.write(`${answer(line)}\r\n`)
      else if (line === '.') {
        received(read(to, data))
        data = undefined
        if (mayAnswer(true, 'END')) socket.write('250 taken\r\n')
      } else data += `${line.replace(/^\./, '')}\n`
    }
  })
}

/** The plain part of a mail of two parts. */
function read(to: string, raw: string): ReceivedMail {
  const subject = /^Subject: (.*)$/m.exec(raw)?.[1] ?? ''
  const part = raw.split(/^--.*$/m).find((one) => /text\/plain/.test(one)) ?? raw
  const body = part.slice(part.indexOf('\n\n', 1) + 2)
  return { to, subject, raw, text: /quoted-printable/i.test(part) ? unquote(body) : body }
}

const unquote = (text: string) =>
  Buffer.from(
    text
      .replace(/=\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString('utf8')

/** The one-time password in a mail; '' for none. */
export const codeIn = (text: string) => /password is: (\d+)/.exec(text)?.[1] ?? ''
