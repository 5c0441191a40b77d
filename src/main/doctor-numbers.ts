import { sql } from 'kysely'
import type { Store } from '../engine/collections/catalog.ts'
import { joinNumber } from '../gateway/conversations/join-national-number.ts'
import {
  isJoinable,
  type NationalNumber,
  readNationalNumbers,
} from '../gateway/conversations/national-numbers.ts'
import { readConfig } from '../platform/config.ts'
import type { Db } from '../platform/db/open.ts'
import { queries } from '../platform/db/queries.ts'
import { type ReportProgress, showProgress } from '../platform/tools/progress.ts'
import type { OptWords } from '../portable/read-opt-word.ts'
import { printLine } from './command-line.ts'
import { withStore } from './open-store-for-command.ts'

const SHOWN = 20
const ACCOUNTS_PAGE = 500

interface Repair {
  /** Whether numbers are repaired, not only listed. */
  readonly apply: boolean
  readonly words: OptWords
  readonly say: (line: string) => void
  readonly progress: ReportProgress
}

/** `pocketsms doctor --numbers`: repairs the numbers of all accounts in the database of the settings. */
export const repairAllNumbers = (apply: boolean): Promise<void> =>
  withStore((store) => {
    const { optWords: words } = readConfig(process.env)
    const progress = showProgress(process.stderr)
    return repairNumbers(store, { apply, words, say: printLine, progress })
  })

/** Shows what is stored under national numbers, or moves it to E.164. */
export async function repairNumbers(store: Store, repair: Repair): Promise<void> {
  const { apply, say, progress } = repair
  const total = await countAccounts(store.db)
  let [numbers, done] = [0, 0]
  for await (const user of readAccountIds(store.db)) {
    numbers += await repairAccount(store, user, repair)
    progress('accounts', ++done, Math.max(total, done))
  }
  if (numbers === 0) say('No number is stored in its national form.')
  else if (apply) say(`Joined ${formatCount(numbers, 'number')}.`)
  else
    say(
      `Nothing was changed. To join ${formatCount(numbers, 'number')}: pocketsms doctor --numbers --apply`,
    )
}

async function countAccounts(db: Db): Promise<number> {
  const counted = sql<number>`count(*)::int`.as('count')
  return (await queries(db).selectFrom('users').select(counted).executeTakeFirstOrThrow()).count
}

async function* readAccountIds(db: Db): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const page = await queries(db)
      .selectFrom('users')
      .select('id')
      .where('id', '>', after)
      .orderBy('id')
      .limit(ACCOUNTS_PAGE)
      .execute()
    for (const { id } of page) yield id
    if (page.length < ACCOUNTS_PAGE) return
    after = page.at(-1)!.id
  }
}

/** Returns how many numbers of the account there are to join, or were joined. */
async function repairAccount(
  store: Store,
  user: string,
  { apply, words, say }: Repair,
): Promise<number> {
  const shown: string[] = []
  const sum = { numbers: 0, texts: 0, conversations: 0, contacts: 0, kept: 0 }
  for await (const page of readNationalNumbers(store.db, user)) {
    for (const one of page) {
      if (one.contact === 'kept') sum.kept++
      if (!isJoinable(one)) continue
      sum.numbers++
      sum.texts += countNumberTexts(one)
      if (one.phone && one.hasConversation) sum.conversations++
      if (one.contact === 'moves') sum.contacts++
      if (shown.length < SHOWN) shown.push(formatNumberLine(one))
      if (apply) await joinNumber(store, user, one, words)
    }
  }
  if (sum.numbers > 0) {
    const { numbers, texts, conversations, contacts } = sum
    const counts = [
      formatCount(texts, 'text'),
      formatCount(conversations, 'conversation'),
      formatCount(contacts, 'contact'),
    ]
    say(`Account ${user}: ${formatCount(numbers, 'number')}, with ${counts.join(', ')}`)
    shown.forEach(say)
    if (numbers > SHOWN) say(`  and ${numbers - SHOWN} more`)
  }
  if (sum.kept > 0)
    say(
      `Account ${user}: ${formatCount(sum.kept, 'contact')} stay: another contact has the number in E.164`,
    )
  return sum.numbers
}

const countNumberTexts = ({ texts, sent }: NationalNumber) =>
  texts.reduce((sum, group) => sum + group.count, sent)

const formatCount = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

function formatNumberLine(one: NationalNumber): string {
  const phones = new Set([one.phone, ...one.texts.map(({ phone }) => phone)].filter(Boolean))
  return `  ${escapeUnprintable(one.number)} -> ${[...phones].join(', ')}: ${formatCount(countNumberTexts(one), 'text')}`
}

/** Senders choose their numbers: control characters would reach the terminal. */
const escapeUnprintable = (number: string) =>
  number.replace(/[^\x20-\x7e]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`)
