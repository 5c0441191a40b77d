import { createTransport } from 'nodemailer'
import { type Caller, FORBIDDEN, NUMBER, secret, smtpPort, user } from './callers.ts'
import { hasLeft, markOf } from './texts.ts'
import { isIn } from './who.ts'

// The rows of mails: who may send by SMTP, to what.

/** Sends a mail. Returns the code of the reply that refuses it, else 250, and the command that is refused. */
async function mail({ key, token }: Caller, to: string, text: string) {
  const pass = key ?? token
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    ignoreTLS: true,
    ...(pass && { auth: { user, pass } }),
  })
  try {
    await transport.sendMail({
      from: 'cron@example.com',
      to: `${to}@sms.example.com`,
      subject: '',
      text,
    })
    return { code: 250, command: '' }
  } catch (error) {
    const { responseCode: code = 0, command = '' } = error as {
      responseCode?: number
      command?: string
    }
    return { code, command }
  } finally {
    transport.close()
  }
}

const ROWS = [
  // keys alone open the door
  ['a number', NUMBER, ({ name, key }: Caller) => key !== undefined && isIn('send', name)],
  ['a number to which the account may not send', FORBIDDEN, () => false],
  // the address is the secret: a wrong password is refused all the same
  [
    'a hook',
    secret,
    ({ name, key }: Caller) => name === 'guest' || (key !== undefined && isIn('sending', name)),
  ],
] as const

export const mailRows = ROWS.map(([what, to, mayMail]) => ({
  what,
  /** What is wrong with a mail of this caller; undefined if nothing is. */
  async faultOf(caller: Caller): Promise<string | undefined> {
    const mark = markOf()
    const { code, command } = await mail(caller, to, mark)
    const isSent = await hasLeft(mark)
    // a mail that is refused after its text was read is refused too late: other recipients may have got it
    if (isSent === mayMail(caller) && isSent === (code === 250) && command !== 'DATA')
      return undefined
    return `a mail to ${what} by ${caller.name}: ${code} ${command}, ${isSent ? 'is sent' : 'is not sent'}`
  },
}))
