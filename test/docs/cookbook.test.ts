import PocketBase from 'pocketbase'
import { SUPERUSER, startServer } from '../support/server/start.ts'
import { FIXTURES, id, type Named, PASSWORD } from './cookbook-data.ts'
import { readPage } from './page.ts'

/** A row of the filter cookbook. */
interface Recipe {
  readonly question: string
  readonly collection: string
  readonly filter: string
  readonly sort: string
  readonly expand: string
}

/**
 * The recipes of docs/filters.md: the rows of its tables that have a question. "On `name`." or the first
 * column names the collection.
 */
function readRecipes(): Recipe[] {
  const recipes: Recipe[] = []
  let collection = ''
  let columns: string[] = []
  for (const line of readPage('docs/filters.md').split('\n')) {
    collection = /^On `(\w+)`\.$/.exec(line)?.[1] ?? collection
    if (!line.startsWith('|')) columns = []
    else if (columns.length === 0) columns = cellsOf(line)
    else if (columns.includes('question') && !/^\|-/.test(line)) {
      const cells = cellsOf(line)
      const cell = (name: string) => (cells[columns.indexOf(name)] ?? '').replace(/^`(.*)`$/, '$1')
      const { question, filter, sort, expand } = Object.fromEntries(
        ['question', 'filter', 'sort', 'expand'].map((name) => [name, cell(name)]),
      ) as Record<string, string>
      recipes.push({
        question: question!,
        collection: cell('on') || collection,
        filter: filter!,
        sort: sort!,
        expand: expand!,
      })
    }
  }
  return recipes
}

/** `\|` is how a table writes `|`. */
const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

const recipes = readRecipes()
/** Messages that were sent, the latest first, as far as `holds` for when and by whom. */
const sent = (holds: (at: Date, record: Named) => boolean): string[] =>
  FIXTURES.sms_messages!.filter(
    (record) =>
      record.message_type === 'outgoing' && holds(new Date(String(record.created)), record),
  )
    .sort((a, b) => String(b.created).localeCompare(String(a.created)))
    .map((record) => String(record.id))

/** What each recipe finds: in this order where it sorts, in any where it does not. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'Which messages failed today, and why?': ['failed-today'],
  'Which texts were sent to this number?': ['to-anna'],
  'Which texts did we exchange with this number?': ['to-anna', 'from-anna'],
  'Which texts mention a parcel?': ['from-anna', 'to-anna'],
  'Which texts have both words, in any order and case, with or without accents?': ['to-anna'],
  'Which texts begin with "Your"?': ['to-anna'],
  'Which texts were sent to Germany?': ['to-anna', 'from-anna', 'from-zoe', 'to-dora'],
  'Which messages still wait, in the order in which they leave?': [
    'stuck',
    'scheduled',
    'next-week',
    'just-now',
  ],
  'Which messages have waited for more than an hour?': ['stuck'],
  'Which messages are due in the next 24 hours?': ['scheduled'],
  'Which messages expire within the next hour?': ['stuck'],
  'Which messages belong to this send?': ['in-batch-too', 'in-batch'],
  'Which message belongs to order 1042?': ['just-now'],
  'Which messages did the desk phone handle this month?': ['failed-today', 'just-now'],
  'Which messages were sent, but not reported as delivered within a day?': ['unreported'],
  'Which messages failed because a phone went silent?': ['silent'],
  'Which messages were canceled?': ['failed-before'],
  'Which messages needed more than one attempt?': ['second-try'],
  'Which texts have more than three segments?': ['longer', 'long'],
  'Which texts were received?': ['from-zoe', 'from-anna'],
  "Which texts did the desk phone's number receive?": ['from-anna'],
  'Which texts were sent in March 2026?': ['in-march'],
  "Which texts were sent at night (22 to 6 o'clock UTC)?": sent(
    (at) => at.getUTCHours() >= 22 || at.getUTCHours() < 6,
  ),
  'Which texts were sent on a weekend?': sent((at) => [0, 6].includes(at.getUTCDay())),
  'Which texts were sent to members of a group? (superusers)': ['to-anna'],
  'Which texts were sent to contacts that opted out? (superusers)': ['to-dora'],
  'Which texts did the users of one customer send? (superusers)': sent(
    (_, { user }) => user === id('ann'),
  ),
  'Which contacts are in this group?': ['anna', 'bert'],
  'Which contacts are in this group only?': ['anna'],
  'Which contacts are in more than one group?': ['bert'],
  'Which contacts are in no group?': ['carl'],
  'Which contacts have opted out, the latest first?': ['dora', 'carl'],
  'Which contacts are called Anna, in any case of letters?': ['anna'],
  'Which contacts live in Berlin? (`data` holds your own fields)': ['anna'],
  'Which contacts live within 10 km of the Alexanderplatz?': ['anna'],
  'Which contacts never got a text? (superusers)': ['bert', 'carl', 'emil'],
  'Which devices have not been seen for an hour?': ['kitchen'],
  'Which devices were paired and never seen again?': ['attic'],
  'Which devices had a failed message today?': ['desk'],
  'Which devices have a limit?': ['attic', 'desk'],
  'Which devices are phones or modems, not simulators?': ['kitchen', 'desk', 'bens'],
  'Which users have their own quota? (superusers)': ['ben', 'ann'],
  'Which users have no device? (superusers)': ['eve'],
  'Which users have never sent a text? (superusers)': ['eve'],
  'Which users have not confirmed their address? (superusers)': ['eve'],
  "Which users have used up this month's quota?": ['annnow'],
  'Which keys were never used?': ['fresh'],
  'Which keys expire within 30 days?': ['fresh'],
  'Which templates use a variable?': ['withcode'],
  'Which steps did this message take?': ['n1', 'n2'],
  'Which attempts failed at a device today?': ['n4'],
  'Which webhooks get failures?': ['failures'],
  'Which deliveries did not succeed at once?': ['later', 'gaveup'],
}

/** What is of whom, for what a user sees. */
const OWNERS = new Map(
  Object.values(FIXTURES)
    .flat()
    .map((record) => [record.id, record.user]),
)

const superuser = new PocketBase()
const ann = new PocketBase()
for (const client of [superuser, ann]) client.autoCancellation(false)

const server = await startServer({ fixtures: FIXTURES })
for (const client of [superuser, ann]) client.baseURL = server.url
await superuser.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
await ann.collection('users').authWithPassword('ann@example.com', PASSWORD)

/** Ids as the recipe orders them; in the order of the alphabet where it does not sort. */
const inOrder = ({ sort }: Recipe, ids: readonly string[]) => (sort ? [...ids] : ids.toSorted())

async function find(client: PocketBase, recipe: Recipe): Promise<string[]> {
  const { collection, filter, sort, expand } = recipe
  const options = { ...(sort && { sort }), ...(expand && { expand }) }
  const found = await client.collection(collection).getFullList({ filter, ...options })
  return inOrder(
    recipe,
    found.map((record) => record.id),
  )
}

test('the cookbook has at least thirty recipes, and each has an answer in this test', () => {
  expect(recipes.length).toBeGreaterThanOrEqual(30)
  expect(recipes.map(({ question }) => question).toSorted()).toEqual(
    Object.keys(ANSWERS).toSorted(),
  )
})

describe.each(recipes)('$collection: $question', (recipe) => {
  const answer = inOrder(recipe, (ANSWERS[recipe.question] ?? []).map(id))

  test('a superuser finds all matching records', async () =>
    expect(await find(superuser, recipe)).toEqual(answer))

  if (recipe.question.endsWith('(superusers)')) return
  test('a user finds the matching records of their own', async () => {
    expect(await find(ann, recipe)).toEqual(answer.filter((each) => OWNERS.get(each) === id('ann')))
  })
})
