import { MAIL_TEMPLATES } from '../../../src/engine/collections/mail-texts.ts'
import { makeUser, signIn } from '../../support/server/server-with-devices.ts'
import { startServerWithMail } from '../../support/server/server-with-mail.ts'
import { SUPERUSER } from '../../support/server/start.ts'

const { server, mail, rows } = await startServerWithMail()
const root = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)

/** Requests a mail with a new password as a browser with these languages, and returns it. */
async function requestMail(email: string, languages: string) {
  const path = '/api/collections/users/request-password-reset'
  const headers = { 'accept-language': languages, 'content-type': 'application/json' }
  const body = JSON.stringify({ email })
  const { status } = await fetch(server.url + path, { method: 'POST', headers, body })
  expect(status).toBe(204)
  return mail.next()
}

const findEmail = async (user: { id: string }) =>
  String((await rows('select email from users where id = $1', user.id))[0]![0])

test('a mail that a browser asks for is in its language, or in the language that the person chose', async () => {
  const [ann, ben, cleo] = await Promise.all([1, 2, 3].map(() => makeUser(server.url, root)))
  const asked = await requestMail(await findEmail(ann!), 'it, de-AT;q=0.8, en;q=0.5')
  expect(asked.subject).toBe('Neues Passwort für pocketsms')
  expect(asked.raw).toContain('<html lang=3D"de">')
  expect(asked.text).toMatch(
    /Neues Passwort wählen\n?: https?:\/\/\S+\/_\/#\/auth\/confirm-password-reset\//,
  )
  const chosen = await ben!.call('PATCH', `/api/collections/users/records/${ben!.id}`, {
    language: 'fr',
  })
  expect(chosen.body.language).toBe('fr')
  expect((await requestMail(await findEmail(ben!), 'de')).subject).toBe(
    'Nouveau mot de passe pour pocketsms',
  )
  expect((await requestMail(await findEmail(cleo!), 'ja')).subject).toBe(
    'Reset your pocketsms password',
  )
})

test('a template that a superuser has edited is for all languages', async () => {
  const ann = await makeUser(server.url, root)
  const edit = (resetPasswordTemplate: object) =>
    root.call('PATCH', '/api/collections/users', { resetPasswordTemplate })
  const { body } = MAIL_TEMPLATES.resetPassword
  await edit({ subject: 'Your password', body })
  try {
    const { subject, text, raw } = await requestMail(await findEmail(ann), 'de')
    expect([subject, text]).toEqual(['Your password', expect.stringContaining('Reset password')])
    expect(raw).toContain('<html lang=3D"en">')
  } finally {
    await edit(MAIL_TEMPLATES.resetPassword)
  }
})

test('a language that mails do not have is refused', async () => {
  const ann = await makeUser(server.url, root)
  const path = `/api/collections/users/records/${ann.id}`
  expect((await ann.call('PATCH', path, { language: 'ja' })).status).toBe(400)
})
