import { existsSync, globSync, readFileSync } from 'node:fs'
import { readSource, sources } from '../texts.ts'

/** Questions about this browser, or about what a test file of the server tries. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '{when} each person gets the text. Of the next {all}, {count} get it.':
    'test/gateway/campaigns/reminders.slow.test.ts',
  'They get no more texts, and waiting texts to them are canceled. You can undo it for a minute; canceled texts stay canceled.':
    'test/gateway/consent/undone.test.ts',
  'A campaign of {time} has the same text. Whoever is in both lists gets it twice.':
    'test/browser/list.test.ts',
  'Changes on this page are not saved yet.': '',
  'The texts wait for a connection. Signing out discards them.': '',
  'No browser shows texts of yours any more until you turn it on there again.':
    'test/gateway/notifications/push.slow.test.ts',
  '{program} has to sign in again, and shows no notifications. API keys and devices go on.':
    'test/engine/auth/sign-in-sessions.test.ts',
  'Every other browser and program has to sign in again. API keys and devices go on.':
    'test/engine/auth/sign-in-sessions.test.ts',
  'Records that require this record are deleted, too. Deleted records cannot be restored.':
    'test/engine/records/changes.test.ts',
  'Do this only if the user has lost the authenticator app, the passkeys and the recovery codes. Make sure that it is really the user who asks: the password alone signs in from then on.':
    'test/engine/auth/second-factor.slow.test.ts',
  'These texts use it, and need another word or a default in its place: {texts}.':
    'test/gateway/people/contact-fields.test.ts',
  'Automatic answers that then send nothing: {names}.':
    'test/gateway/conversations/answers.test.ts',
  'Remove {name} from the directory as well: the next sign-in by it adds {name} again.':
    'test/gateway/directory-roles/sign-in.slow.test.ts',
  'The logs of all servers are deleted and cannot be restored.': 'test/http/server/logs.test.ts',
  '{own} is not in the list as it stands. If no subnet there has it, you are locked out at once, and only somebody at one of these addresses can change that.':
    'test/engine/auth/superuser-places.slow.test.ts',
  '{name} is deleted for good.': 'test/http/routes/backup-api.slow.test.ts',
  'The device went silent before it said what became of the text. It may have gone out: sending it again may reach the person twice.':
    'test/gateway/messages/queue/batch-actions.test.ts',
}

const OBJECT =
  /\btitle: tn?\([\s\S]{0,160}?\btext:([\s\S]{0,500}?)\n\s*(?:action|keep|danger|careful|\})/g
const CALL = /\btn?\(\s*(['"])((?:\\.|(?!\1).)*?)\1(?:,\s*(['"])((?:\\.|(?!\3).)*?)\3)?/gs

/** The sentences of all questions that the console asks before it does something. */
const confirmations = sources().flatMap((file) => {
  const source = readSource(file)
  if (!/askToConfirm|deleteRecord|runConfirmed|confirmAndRevoke/.test(source)) return []
  return [...source.matchAll(OBJECT)].flatMap(([, text = '']) =>
    [...text.matchAll(CALL)].flatMap(([, , one, , many]) => [one, many].filter((each) => each)),
  )
})

test('each question before the console does something has a test against the server', () => {
  const tests = globSync('test/console/sentences/*.test.ts')
    .filter((file) => !file.endsWith('all-confirmed.test.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  expect(confirmations.length).toBeGreaterThan(20)
  expect(
    confirmations.filter(
      (each) => !tests.includes(`'${each}'`) && !((each as string) in ELSEWHERE),
    ),
  ).toEqual([])
})

test('the tests of other questions exist, and the console asks these questions', () => {
  const files = Object.values(ELSEWHERE).filter(Boolean)
  expect(files.filter((file) => !existsSync(file))).toEqual([])
  expect(Object.keys(ELSEWHERE).filter((each) => !confirmations.includes(each))).toEqual([])
})
