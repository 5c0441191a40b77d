import { createTransport, type SendMailOptions } from 'nodemailer'
import { freePort } from '../database/postgres.ts'
import { ANN, startServerWithUsers } from './server-with-users.ts'

/** Ann's server with SMTP_PORT, a hook of hers, and a way to mail to it. */
export async function startSmtpFixture(env: Record<string, string> = {}) {
  const port = await freePort()
  const server = await startServerWithUsers({ SMTP_PORT: String(port), ...env })
  const signedIn = await server.signedIn('users', ANN.id)
  const hook = async (values: object = {}): Promise<string> => {
    const fields = {
      user: ANN.id,
      name: 'Mail',
      preset: 'text',
      recipients: ['+4911111'],
      ...values,
    }
    const made = await server.ask('POST', '/api/collections/hooks/records', fields, signedIn)
    return `${made.body.secret}@sms.example.com`
  }
  const auth = { user: ANN.email, pass: ANN.key }
  const mail = async (options: SendMailOptions, more: object = {}): Promise<string> => {
    const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, ...more })
    try {
      return (await transport.sendMail({ from: 'cron@example.com', ...options })).response
    } catch (error) {
      const { responseCode, response, message } = error as Error & {
        responseCode?: number
        response?: string
      }
      return responseCode ? (response ?? '') : message
    } finally {
      transport.close()
    }
  }
  const sent = async () =>
    (await server.rows('select "to", body from sms_messages order by "to", body')).map((row) =>
      row.join(' '),
    )
  return { server, port, auth, hook, mail, sent }
}
