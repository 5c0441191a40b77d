/** A list that a person opens. `path` gets a number to which the account has just sent. */
interface Question {
  readonly name: string
  readonly path: (number: string) => string
}

const MESSAGES = '/api/collections/sms_messages/records?perPage=30&sort=-created'
const filter = (text: string) => `&filter=${encodeURIComponent(text)}`
/** A list of texts: newest first, 30 a page, with the total. */
const texts = (name: string, query: string): Question => ({ name, path: () => MESSAGES + query })

/** What people ask of their texts, in turn. */
export const QUESTIONS: readonly Question[] = [
  texts('newest', ''),
  texts('delivered', filter('status = "delivered"')),
  texts('failed', filter('status = "failed"')),
  texts('incoming', filter('message_type = "incoming"')),
  texts('today', filter('created >= @todayStart')),
  texts('delivered today', filter('status = "delivered" && created >= @todayStart')),
  texts('part of a text', filter('body ~ "parcel"')),
  { name: 'one number', path: (number) => MESSAGES + filter(`to = "${number}"`) },
  texts('page 2', '&page=2'),
  texts('page 10', '&page=10'),
  texts('delivered, page 10', `${filter('status = "delivered"')}&page=10`),
  {
    name: 'conversations',
    path: () => '/api/collections/conversations/records?perPage=30&sort=-last_at',
  },
]

/** Kinds of requests that read all texts of an account: with more texts they take longer. */
export const READ_ALL: ReadonlySet<string> = new Set(['list: part of a text', 'export'])

/** All texts of today, as CSV. */
export const EXPORT = `/api/collections/sms_messages/export?${filter('created >= @todayStart').slice(1)}`
