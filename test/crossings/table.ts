// The crossing table: each way by which a text gets into the server, crossed with each promise that pocketsms
// makes about texts. A cell names the tests that show the promise, or why there is nothing to show. A new
// ability fills its row before it is called built.

/** What pocketsms promises about a text, whichever way it came by. */
export const PROMISES = {
  stored: 'Stored before the answer',
  onceByKey: 'Once, by the key of a request',
  onceByReference: 'Once, by the sender’s own reference',
  onceAgain: 'Once, when a failed text is sent again',
  onceByFile: 'Once: another file is another request',
  consent: 'Consent until it leaves',
  keyBounds: 'Bounds of API keys',
  accountBounds: 'Bounds of accounts',
  money: 'Bounds of money',
  size: 'Size and memory',
  hidden: 'Nothing hidden leaves',
  erased: 'Nothing of an erased person stays',
  retention: 'Kept no longer than its period',
  closedAccount: 'A closed account',
  cancel: 'Canceled until it leaves',
  change: 'Changed until it leaves',
  twoServers: 'Two servers',
  killed: '`kill -9`',
  status: 'The status is true',
  given: 'A given value of a variable is never dropped',
  day: 'A date of a contact is the account’s day',
  names: 'What people name is found in each spelling',
  console: 'Shown true in the console',
  docs: 'The line of the docs runs, with an API key if one opens the way',
} as const
export type Promised = keyof typeof PROMISES

/** Why a promise has nothing to show on a way. At most ten. */
export const REASONS = {
  noField: 'The request has no field for it: a client cannot ask for it on this way.',
  noFile: 'This way carries words alone: there is no file to compare.',
  noKey:
    'No API key opens this way. It needs a person’s sign-in, a secret of its own, or a device.',
  noClient:
    'No client asks for this text: the server sends it for a reason of its own, so no client can repeat a request.',
  hasLeft:
    'The owner of the phone has sent the text by hand before the server learns of it: nothing can stop, change or repeat it.',
  toPhones:
    'This interface hands out texts that were sent by another way, and takes in only what others have sent: the row of that way has the test.',
  noLine: 'Another program makes the request: the docs have no line that a person types.',
} as const
export type Reason = keyof typeof REASONS

/** A test of a file: its title as it is written there. */
export interface NamedTest {
  readonly file: string
  readonly title: string
}
/** A line of a page of docs, in a block that `npm run test:docs` runs. */
export interface RunLine {
  readonly page: string
  readonly line: string
}
export type Proof = NamedTest | RunLine
export type Cell = readonly Proof[] | { readonly not: Reason }

export interface Row {
  readonly title: string
  /** Routes that send by this way. */
  readonly routes?: readonly string[]
  /** Tools of assistants that send by this way. */
  readonly tools?: readonly string[]
  /** The group of its metrics, if it is another product's interface. */
  readonly protocol?: string
  /** Files of `src` that offer its texts to the queue, or store them. */
  readonly by: readonly string[]
  readonly cells: Readonly<Record<Promised, Cell>>
}

const test = (file: string, title: string): NamedTest => ({ file: `test/${file}.test.ts`, title })
const tested = (file: string, title: string): readonly Proof[] => [test(file, title)]
const runs = (page: string, line: string): readonly Proof[] => [{ page: `docs/${page}.md`, line }]
const not = (reason: Reason): Cell => ({ not: reason })

/** The tests that try a promise on each way: they take their ways from the cells that name them. */
export const EACH = {
  stored: test(
    'crossings/stored-before-the-answer.slow',
    'a text by $title is stored when its answer is a success',
  ),
  onceByKey: test(
    'crossings/once-by-key.slow',
    'a request that is repeated by $title sends one text, and its key sends no other',
  ),
  onceByReference: test(
    'crossings/once-by-reference',
    'a reference of a text by $title sends one text, also without a key',
  ),
  onceAgain: test(
    'crossings/sent-again.slow',
    'a failed text by $title is sent again once, as it was',
  ),
  onceByFile: test(
    'crossings/once-by-file',
    'a request by $title that is repeated with another picture is refused',
  ),
  referenceByFile: test(
    'crossings/once-by-file',
    'a reference by $title that is used again with another picture is refused',
  ),
  consent: test(
    'crossings/consent-until-it-leaves.slow',
    'a text by $title does not leave after its person has texted STOP, and costs nothing',
  ),
  keyBounds: test(
    'crossings/bounds.slow',
    'a text by $title is refused to a key that may not send it',
  ),
  accountBounds: test(
    'crossings/bounds.slow',
    'a text by $title to a number outside the account’s destinations does not leave',
  ),
  money: test('crossings/bounds.slow', 'a text by $title beyond the quota does not leave'),
  hidden: test(
    'crossings/nothing-hidden-leaves.slow',
    'the words of a text by $title are in no log and in no data of another account',
  ),
  hiddenInFiles: test(
    'crossings/nothing-hidden-leaves.slow',
    'a picture by $title leaves without the data that no eye sees',
  ),
  erased: test(
    'crossings/erased-person.slow',
    'of a text by $title nothing is left once its person is erased, whether it waits or has left',
  ),
  retention: test(
    'crossings/retention.slow',
    'of a text by $title no words are left after the days of its account',
  ),
  closedAccount: test(
    'crossings/closed-account.slow',
    'a disabled account sends nothing by $title',
  ),
  deletedAccount: test(
    'crossings/closed-account.slow',
    'of a text by $title nothing is left once its account is deleted',
  ),
  cancel: test(
    'crossings/cancel-and-change.slow',
    'a text by $title that is canceled does not leave, and costs nothing',
  ),
  change: test(
    'crossings/cancel-and-change.slow',
    'a text by $title that waits leaves with the words that its account gave it last',
  ),
  twoServers: test(
    'crossings/two-servers.slow',
    'a text by $title that one of two servers takes is handed out once by both',
  ),
  killed: test(
    'crossings/killed.slow',
    'every way keeps its promise when the server is killed between any two of its steps',
  ),
  console: test('browser/ways-in', 'a text of each way is shown with its words and its status'),
  status: test(
    'crossings/status-is-true.slow',
    'a text by $title has the status that its phone reports',
  ),
} as const

type Way = keyof typeof EACH

/** The named tests of a way, and the one that tries all ways. */
const and = (each: Way, file: string, title: string): readonly Proof[] => [
  test(file, title),
  EACH[each],
]
const each = (...ways: readonly Way[]): readonly Proof[] => ways.map((way) => EACH[way])

/** What holds for every text that the server sends itself: its queue, its people and its end. */
const SENT = {
  consent: each('consent'),
  accountBounds: each('accountBounds'),
  money: each('money'),
  hidden: each('hidden'),
  erased: each('erased'),
  retention: each('retention'),
  closedAccount: each('closedAccount', 'deletedAccount'),
  cancel: each('cancel'),
  change: each('change'),
  onceAgain: each('onceAgain'),
  twoServers: each('twoServers'),
  killed: each('killed'),
  status: each('status'),
  console: each('console'),
} as const
const ASKED = { stored: each('stored'), onceByKey: each('onceByKey'), keyBounds: each('keyBounds') }
const NO_FIELDS = { onceByKey: not('noField'), onceByReference: not('noField') } as const
const NO_CLIENT = { onceByKey: not('noClient'), keyBounds: not('noKey') } as const
const WORDS = { onceByFile: not('noFile') } as const
const FILES = {
  onceByFile: each('onceByFile'),
  hidden: each('hidden', 'hiddenInFiles'),
} as const
const OF_CAMPAIGN = {
  onceAgain: tested(
    'gateway/campaigns/campaigns.slow',
    "a retry sends a campaign's failed messages again, without those already retried",
  ),
  cancel: tested('gateway/campaigns/waiting', 'canceling the campaign fails all waiting messages'),
  change: tested('gateway/campaigns/waiting', 'a change replaces the waiting messages by new ones'),
} as const
/** The lines of docs/app.md that send files, each with an API key and a photo of 4 MB. */
const PHOTO_LINES = tested(
  'docs/app-examples',
  'the page has a send, and sends of a photo that is uploaded, linked to, and at an address',
)
/** Bodies of each size, with each kind of credentials. */
const SIZES = test('crossings/sizes-by-credentials.slow', '%s has one limit')
const sizes = (): readonly Proof[] => [SIZES]
const sized = (file: string, title: string): readonly Proof[] => [test(file, title), SIZES]

const DAY = tested(
  'gateway/people/contact-fields',
  '%s is the day %s of the account, and %s in its texts',
)
const NAMES = tested('gateway/people/same-names', '%s finds what it names in each spelling')
const VALUES = {
  names: NAMES,
  given: tested('gateway/messages/send/given-names', 'a given name fills a gap: %s'),
  day: DAY,
} as const
const NO_VALUES = {
  names: not('noField'),
  given: not('noField'),
  day: not('noField'),
} as const
const VALUES_OF_CAMPAIGN = {
  names: NAMES,
  given: tested(
    'gateway/messages/send/given-names',
    'a campaign takes a given name, and lists a gap',
  ),
  day: DAY,
} as const

const ACCEPT = ['gateway/messages/send-routes.ts']
const BY_KEY = ['protocols/send-by-key.ts']
const BY_CAMPAIGN = [
  ...['routes', 'change-campaign', 'pause-resume-cancel', 'retry-campaign', 'settle-campaign'],
  ...['campaign-jobs', 'campaigns-feature', 'campaign-offer'],
  ...['store-campaign-texts', 'send-reminders', 'store-reminders'],
].map((file) => `gateway/campaigns/${file}.ts`)
const DOOR = { ...SENT, ...ASKED, ...NO_FIELDS, ...WORDS } as const

/** Cells that have tests of their own instead of that of their column. */
export const OWN_TESTS: Readonly<Partial<Record<Promised, readonly string[]>>> = {
  onceByReference: ['answer', 'hook', 'parts', 'recurring', 'reminder', 'twiml', 'typed'],
  cancel: ['campaign', 'list', 'recurring', 'reminder'],
  change: ['campaign', 'code', 'list', 'recurring', 'reminder'],
  keyBounds: ['campaign', 'list', 'recurring', 'reminder', 'twiml'],
  onceAgain: ['campaign', 'code', 'list', 'recurring', 'reminder'],
  onceByFile: ['hook', 'mail', 'vendel'],
  onceByKey: ['code', 'hook', 'join', 'parts', 'typed'],
  console: ['recurring', 'scheduled', 'undo'],
  money: ['typed'],
  status: ['typed'],
}

export const ROWS: Readonly<Record<string, Row>> = {
  text: {
    title: 'a text',
    routes: [
      'POST /api/sms/send',
      'PATCH /api/sms/messages/:id',
      'POST /api/sms/batches/:batch_id/reschedule',
      'POST /api/sms/messages/:id/retry',
      'POST /api/sms/batches/:batch_id/retry',
    ],
    by: [
      ...ACCEPT,
      'gateway/messages/message-routes.ts',
      'gateway/messages/queue/retry-messages.ts',
    ],
    cells: {
      ...VALUES,
      ...WORDS,
      stored: and(
        'stored',
        'gateway/messages/send/send-texts',
        'a send to one number returns its id and stores the whole record',
      ),
      onceByKey: and(
        'onceByKey',
        'gateway/messages/send/send-again',
        'the same Idempotency-Key returns the first answer again and stores no second message',
      ),
      onceByReference: and(
        'onceByReference',
        'gateway/messages/send/send-again',
        'of 40 concurrent sends with one client_ref and two texts, one text is sent and the other refused',
      ),
      onceAgain: and(
        'onceAgain',
        'gateway/messages/send/after-send',
        'a failed message is sent again as a new message, once',
      ),
      consent: and(
        'consent',
        'gateway/conversations/opted-out-meanwhile',
        'a STOP fails a text that %s and refunds it',
      ),
      keyBounds: and(
        'keyBounds',
        'permission/matrix.slow',
        '%s is allowed exactly to the callers in its row',
      ),
      accountBounds: and(
        'accountBounds',
        'gateway/messages/send/destinations.slow',
        '100 sends through all APIs to destinations forbidden for %s store and count nothing',
      ),
      money: and(
        'money',
        'gateway/messages/send/send-quota',
        "a user's own quota overrides the server's, also if it is lower",
      ),
      size: sized('gateway/messages/send/send-errors', 'a body of 10 MB is refused with 413'),
      hidden: and('hidden', 'http/server/log', 'log lines contain no queries, headers or bodies'),
      erased: and(
        'erased',
        'gateway/people/erase-person.slow',
        "an erasure removes the person's data from every table and no data of others",
      ),
      retention: and(
        'retention',
        'gateway/retention/retention.slow',
        'redaction of a message %s %i days ago leaves its text in %i messages',
      ),
      closedAccount: [
        test(
          'engine/auth/disabled.slow',
          'devices of a disabled user get no messages, even by a claim that has begun, and get them once the user is enabled',
        ),
        ...each('closedAccount', 'deletedAccount'),
      ],
      cancel: and(
        'cancel',
        'gateway/messages/send/after-send',
        'canceling a message that is %s fails it, stores an event and refunds the quota',
      ),
      change: and(
        'change',
        'gateway/messages/queue/change-waiting-message',
        'a changed text is stored and its segments are counted again',
      ),
      twoServers: and(
        'twoServers',
        'gateway/messages/send/send-again',
        'of concurrent sends on two nodes with one client_ref and two texts, one text is sent',
      ),
      killed: and(
        'killed',
        'gateway/smsgate-app/killed.slow',
        'phones with any version of the app send each text once while the server is killed',
      ),
      status: and(
        'status',
        'gateway/messages/device-api',
        'a message is accepted, claimed, sent and delivered',
      ),
      console: and('console', 'browser/send', 'a sent text is shown as delivered without a reload'),
      docs: runs('app', 'curl -s $URL/api/sms/send -H "X-API-Key: $KEY"'),
    },
  },
  template: {
    title: 'a template',
    routes: ['POST /api/sms/send-template'],
    by: ACCEPT,
    cells: {
      ...VALUES,
      ...SENT,
      ...ASKED,
      stored: and(
        'stored',
        'gateway/messages/send/template-files',
        'a template leaves with its picture, which is stored once for the template and all its texts',
      ),
      onceByFile: each('onceByFile', 'referenceByFile'),
      onceByReference: [
        test(
          'gateway/messages/send/send-again',
          'a template counts as its rendered text and a group as its members',
        ),
        test(
          'gateway/messages/send/template-files',
          'a reference that is used again is the same text until the template has another picture',
        ),
        ...each('onceByReference'),
      ],
      erased: and(
        'erased',
        'gateway/messages/send/template-files',
        'the name of an erased person is in no name of a template’s file any more',
      ),
      consent: and(
        'consent',
        'gateway/consent/late-refusals.slow',
        'a text is not sent to its person after %s, and costs nothing',
      ),
      keyBounds: and(
        'keyBounds',
        'permission/matrix.slow',
        '%s is allowed exactly to the callers in its row',
      ),
      accountBounds: and(
        'accountBounds',
        'gateway/messages/send/destinations.slow',
        '100 sends through all APIs to destinations forbidden for %s store and count nothing',
      ),
      size: sized(
        'gateway/messages/send/template',
        'parsing 100,000 braces takes less than a second of CPU time',
      ),
      hidden: [
        test(
          'http/middleware/tenants.slow',
          "a rendered template does not use another user's contacts",
        ),
        ...each('hidden', 'hiddenInFiles'),
      ],
      console: [
        test('browser/send', 'a text and a template sent to a group are filled for each member'),
        test(
          'browser/send-pictures',
          'a saved reply, an automatic answer and a waiting campaign get a picture',
        ),
        ...each('console'),
      ],
      docs: runs('campaigns', 'curl -s $URL/api/sms/send-template -H "X-API-Key: $KEY"'),
    },
  },
  file: {
    title: 'an uploaded file',
    by: ACCEPT,
    cells: {
      ...VALUES,
      ...SENT,
      ...ASKED,
      ...FILES,
      onceByFile: each('onceByFile', 'referenceByFile'),
      stored: and(
        'stored',
        'gateway/messages/send/mms',
        'a form sends a picture, which the device fetches',
      ),
      onceByKey: and('onceByKey', 'gateway/messages/send/mms', 'a repeated form sends once'),
      onceByReference: each('onceByReference'),
      onceAgain: and(
        'onceAgain',
        'gateway/messages/send/mms-again.slow',
        'a failed MMS with the words "%s" is sent again',
      ),
      consent: and(
        'consent',
        'gateway/messages/send/mms-refusals',
        'a recipient who has opted out gets no MMS',
      ),
      money: and(
        'money',
        'gateway/messages/send/mms-refusals',
        'a quota counts an MMS as one message, and one beyond it leaves no file',
      ),
      size: [
        test(
          'gateway/messages/send/mms',
          'prepared files count in the memory of requests until they are stored',
        ),
        test(
          'gateway/messages/queue/refuse-large-mms',
          'an MMS that is %s fails, costs nothing, and a retry prepares it anew',
        ),
        SIZES,
      ],
      hidden: [
        test('gateway/messages/send/mms-files.slow', '%s leaves without them, and upright'),
        ...each('hidden', 'hiddenInFiles'),
      ],
      erased: and(
        'erased',
        'gateway/messages/send/mms-again.slow',
        'the data of a person has the subjects and files of texts to them, and no longer after an erasure',
      ),
      retention: and(
        'retention',
        'gateway/messages/send/mms-again.slow',
        'a redacted MMS has no text, no subject and no files',
      ),
      change: and(
        'change',
        'gateway/messages/send/mms-again.slow',
        'a waiting MMS gets another text and time, and stays an MMS',
      ),
      killed: and(
        'killed',
        'gateway/messages/send/mms-killed.slow',
        'a picture that messages share is whole, and ends with the last of them, at each step at which a server is killed or cut off',
      ),
      console: and('console', 'browser/send-pictures', 'a shop sends a photo of a parcel'),
      docs: PHOTO_LINES,
    },
  },
  address: {
    title: 'the address of a file',
    by: ACCEPT,
    cells: {
      ...VALUES,
      ...SENT,
      ...ASKED,
      ...FILES,
      onceByFile: each('onceByFile', 'referenceByFile'),
      stored: and(
        'stored',
        'gateway/messages/send/mms',
        'an address is fetched by the rules of outgoing requests',
      ),
      onceByReference: each('onceByReference'),
      size: [
        test(
          'gateway/messages/send/slow-files.slow',
          'beside fifteen accounts whose files stop after %s, others send pictures',
        ),
        test(
          'gateway/messages/send/slow-files.slow',
          'files at addresses are refused that have more than 20 MiB, and nothing is stored (%s)',
        ),
        SIZES,
      ],
      docs: PHOTO_LINES,
    },
  },
  link: {
    title: 'a link to a file',
    routes: ['GET /f/:token'],
    by: ACCEPT,
    cells: {
      ...VALUES,
      ...SENT,
      ...ASKED,
      ...FILES,
      onceByFile: each('onceByFile', 'referenceByFile'),
      stored: and(
        'stored',
        'gateway/messages/send/mms-or-link',
        'a text leaves with a link to each file, which opens without a token',
      ),
      onceByKey: and(
        'onceByKey',
        'gateway/messages/send/mms-or-link',
        'a repeated request is the same send, by its key and by its client_ref',
      ),
      onceByReference: and(
        'onceByReference',
        'gateway/messages/send/mms-or-link',
        'a repeated request is the same send, by its key and by its client_ref',
      ),
      onceAgain: and(
        'onceAgain',
        'gateway/messages/send/mms-or-link',
        'a failed text with links is sent again: with links of its own, or as an MMS',
      ),
      size: sized(
        'gateway/messages/send/mms-or-link',
        'a text that the links make too long is refused, and no file is stored',
      ),
      hidden: [
        test(
          'gateway/messages/send/mms-or-link',
          'a link ends with its time and its file, and no other link opens it',
        ),
        ...each('hidden', 'hiddenInFiles'),
      ],
      change: and(
        'change',
        'gateway/messages/send/mms-or-link',
        'a waiting text with links gets other words, and keeps the links',
      ),
      docs: PHOTO_LINES,
    },
  },
  code: {
    title: 'a code',
    routes: [
      'POST /api/verify',
      'POST /v2/Services/:ServiceSid/Verifications',
      'POST /api/collections/:collection/request-otp',
    ],
    by: [
      'gateway/codes/routes.ts',
      'gateway/codes/start-verification.ts',
      'gateway/codes/limits/send-code-text.ts',
      'protocols/twilio/verify-routes.ts',
      'protocols/twilio/verifications.ts',
    ],
    cells: {
      ...NO_VALUES,
      ...SENT,
      ...WORDS,
      stored: each('stored'),
      onceByReference: not('noField'),
      onceByKey: tested(
        'gateway/codes/codes.slow',
        '60 concurrent starts for a number send one code, and five an hour if each is canceled',
      ),
      onceAgain: tested(
        'gateway/messages/send/sealed',
        'a sealed text can be neither changed while it waits nor sent again',
      ),
      consent: each('consent'),
      keyBounds: and(
        'keyBounds',
        'gateway/codes/bounds',
        'an API key cannot use up the tries of a code outside its destinations',
      ),
      accountBounds: and(
        'accountBounds',
        'gateway/codes/bounds',
        'with code_destinations "%s" and a line of "%s" a code to %s is %s',
      ),
      money: and(
        'money',
        'gateway/codes/bounds',
        'codes, pages and words together use at most their share of the quota',
      ),
      size: sizes(),
      hidden: and(
        'hidden',
        'gateway/codes/codes.slow',
        'a code is in no log, webhook, export, table, event or error',
      ),
      erased: and(
        'erased',
        'gateway/people/stop-list.slow',
        'a code to an erased person is refused',
      ),
      cancel: and(
        'cancel',
        'gateway/codes/verify',
        'a verification code is not sent once canceled',
      ),
      change: tested(
        'gateway/messages/send/sealed',
        'a sealed text can be neither changed while it waits nor sent again',
      ),
      console: and(
        'console',
        'browser/verify',
        "the page's example sends and checks a code, and a service is created",
      ),
      docs: runs('recipes/verify', 'curl -s $URL/api/verify -H "X-API-Key: $KEY"'),
    },
  },
  scheduled: {
    title: 'a scheduled text',
    by: ACCEPT,
    cells: {
      ...VALUES,
      ...SENT,
      ...ASKED,
      ...FILES,
      onceByFile: each('onceByFile', 'referenceByFile'),
      stored: and(
        'stored',
        'gateway/messages/send/send-texts',
        'a scheduled message is pending without a device until due, and counts against the current quota',
      ),
      onceByReference: each('onceByReference'),
      consent: and(
        'consent',
        'gateway/consent/deleted-contact',
        'a scheduled text fails when its contact is opted out by hand and deleted before it is due',
      ),
      size: sizes(),
      change: and(
        'change',
        'gateway/messages/queue/change-waiting-message',
        'a scheduled message can be changed to %s, and an event names the change of "$6"',
      ),
      console: tested(
        'browser/scheduled',
        'scheduled texts and campaigns are listed by the days of the account’s time zone, and link to their pages',
      ),
      docs: runs('app', 'LATER=$(curl -s $URL/api/sms/send -H "X-API-Key: $KEY"'),
    },
  },
  undo: {
    title: 'a text that can be undone',
    by: ACCEPT,
    cells: {
      ...VALUES,
      ...SENT,
      ...ASKED,
      ...FILES,
      onceByFile: each('onceByFile', 'referenceByFile'),
      stored: and(
        'stored',
        'gateway/messages/send/undo',
        'a text that can be undone waits for its seconds, is no scheduled text, and then wakes its phone',
      ),
      onceByReference: each('onceByReference'),
      size: sizes(),
      cancel: and(
        'cancel',
        'gateway/messages/send/undo',
        'an undone answer costs nothing, and its conversation waits again',
      ),
      console: tested(
        'browser/conversations/undo',
        'an undone answer comes back into the answer box with its picture',
      ),
      docs: runs('app', 'UNDO=$(curl -s $URL/api/sms/send -H "X-API-Key: $KEY"'),
    },
  },
  campaign: {
    title: 'a campaign',
    routes: [
      'POST /api/campaigns',
      'PATCH /api/campaigns/:id',
      'POST /api/campaigns/:id/resume',
      'POST /api/campaigns/:id/retry',
    ],
    by: BY_CAMPAIGN,
    cells: {
      ...VALUES_OF_CAMPAIGN,
      ...SENT,
      ...FILES,
      ...OF_CAMPAIGN,
      stored: and(
        'stored',
        'gateway/campaigns/campaigns.slow',
        'a scheduled campaign is stored at once and its messages wait for their time',
      ),
      onceAgain: [
        ...OF_CAMPAIGN.onceAgain,
        test(
          'gateway/campaigns/campaign-files.slow',
          'failed messages of a campaign are sent again with its picture',
        ),
      ],
      onceByKey: and(
        'onceByKey',
        'gateway/campaigns/campaigns.slow',
        'three requests with one Idempotency-Key create one campaign',
      ),
      onceByReference: not('noField'),
      consent: and(
        'consent',
        'gateway/consent/left',
        'a campaign neither stores nor charges an open text for a person who left its group after the plan',
      ),
      keyBounds: tested(
        'gateway/campaigns/list-keys',
        'the bounds of an API key hold for its lists and campaigns',
      ),
      accountBounds: and(
        'accountBounds',
        'gateway/messages/send/destinations.slow',
        'a retry, a changed campaign and a resumed campaign cannot reach forbidden destinations either',
      ),
      money: and(
        'money',
        'gateway/campaigns/settle-campaign.slow',
        'a campaign larger than the remaining quota is refused as a whole',
      ),
      size: sized(
        'gateway/campaigns/settle-campaign.slow',
        'a campaign to 2,500 people is stored once, in chunks that share one batch_id',
      ),
      erased: and(
        'erased',
        'gateway/people/stop-list.slow',
        'a campaign leaves out an erased person, also one who was erased after the plan',
      ),
      retention: and(
        'retention',
        'gateway/retention/retention.slow',
        'a campaign that is %s for %i days has the text "%s" after redaction',
      ),
      closedAccount: [
        test(
          'engine/auth/disabled.slow',
          'campaigns of a disabled user are paused and not canceled, also one created in the same moment',
        ),
        ...each('closedAccount', 'deletedAccount'),
      ],
      twoServers: and(
        'twoServers',
        'gateway/campaigns/settle-campaign.slow',
        'two nodes that settle the same campaign at once store its messages once',
      ),
      killed: and(
        'killed',
        'gateway/campaigns/settle-campaign.slow',
        'after a crash between two chunks another node stores the rest, even a day later',
      ),
      console: and(
        'console',
        'browser/campaigns',
        'a text to 25 people is confirmed, scheduled, paused and resumed',
      ),
      docs: runs('campaigns', 'CAMPAIGN=$(curl -s $URL/api/campaigns -H "Authorization: $TOKEN"'),
    },
  },
  list: {
    title: 'a list',
    routes: ['POST /api/campaigns', 'PATCH /api/campaigns/:id'],
    by: BY_CAMPAIGN,
    cells: {
      ...VALUES_OF_CAMPAIGN,
      ...SENT,
      ...FILES,
      ...OF_CAMPAIGN,
      stored: each('stored'),
      onceByKey: and(
        'onceByKey',
        'programs/bulk/send',
        'a run whose answer or results were lost continues its campaign',
      ),
      onceByReference: not('noField'),
      change: tested(
        'gateway/campaigns/mistakes',
        'the text of a campaign to %s changes for those who have not got it, paused or sending',
      ),
      keyBounds: tested(
        'gateway/campaigns/list-keys',
        'the bounds of an API key hold for its lists and campaigns',
      ),
      given: tested(
        'gateway/campaigns/lists',
        'each row of a list gets its own text or its reason, from JSON and from a file',
      ),
      day: tested(
        'gateway/campaigns/lists',
        'values are written as the account writes them, if %s',
      ),
      size: sized('gateway/campaigns/lists', 'a list is refused whole where %s'),
      docs: runs('campaigns', 'npx pocketsms send tables.csv --template $TEMPLATE'),
    },
  },
  recurring: {
    title: 'a repeating campaign',
    by: BY_CAMPAIGN,
    cells: {
      ...VALUES_OF_CAMPAIGN,
      ...SENT,
      ...FILES,
      ...OF_CAMPAIGN,
      stored: each('stored'),
      onceByKey: each('onceByKey'),
      onceByReference: tested(
        'gateway/campaigns/repetition.slow',
        'a run whose creation fails is created once by a later try',
      ),
      onceAgain: tested(
        'crossings/sent-again.slow',
        'a failed run of a repeating campaign is sent again once, and the repeat itself never',
      ),
      consent: and(
        'consent',
        'gateway/campaigns/repetition.slow',
        "each run goes to the group's members of that day, and a refused run does not stop the repeat",
      ),
      keyBounds: tested(
        'gateway/campaigns/list-keys',
        'the bounds of an API key hold for its lists and campaigns',
      ),
      size: sized('gateway/campaigns/repetition.slow', 'an account has at most 20 repeats'),
      cancel: tested(
        'gateway/campaigns/repetition.slow',
        'a canceled repeat makes no further run, and its last run can be canceled',
      ),
      change: tested(
        'gateway/campaigns/repetition.slow',
        'a repeat whose words change sends the new words from its next run on',
      ),
      twoServers: and(
        'twoServers',
        'gateway/campaigns/repetition.slow',
        'a run whose creation fails is created once by a later try',
      ),
      console: tested(
        'browser/campaigns',
        'a repeating text previews its next times, lists its runs and can be changed',
      ),
      docs: runs('campaigns', 'LUNCH=$(curl -s $URL/api/campaigns -H "Authorization: $TOKEN"'),
    },
  },
  reminder: {
    title: 'a reminder',
    by: BY_CAMPAIGN,
    cells: {
      ...VALUES_OF_CAMPAIGN,
      ...SENT,
      ...FILES,
      stored: each('stored'),
      onceByKey: each('onceByKey'),
      onceByReference: tested(
        'gateway/campaigns/reminders.slow',
        'an occurrence whose text or row was deleted gets no other text',
      ),
      onceAgain: tested(
        'gateway/campaigns/reminders.slow',
        'a failed text of a reminder is not sent again',
      ),
      keyBounds: tested('gateway/campaigns/list-keys', 'an API key makes no reminder'),
      money: and(
        'money',
        'gateway/campaigns/reminders.slow',
        'a reminder beyond the quota sends the texts that fit, the soonest first',
      ),
      size: sized('gateway/campaigns/reminders.slow', 'an account has at most 20 reminders'),
      closedAccount: [
        test(
          'gateway/campaigns/reminders.slow',
          'a disabled account sends no text until it is enabled',
        ),
        ...each('closedAccount', 'deletedAccount'),
      ],
      cancel: tested(
        'gateway/campaigns/reminders.slow',
        'a moved booking moves its text, a deleted one ends it, and one that moves back gets it again',
      ),
      change: tested(
        'gateway/campaigns/reminders.slow',
        'the text, the offset and the filter of a reminder can be changed, not its collection',
      ),
      killed: and(
        'killed',
        'gateway/campaigns/reminders.slow',
        'a kill between row and text leaves neither, and the next run stores both once',
      ),
      docs: runs('campaigns', 'BIRTHDAYS=$(curl -s $URL/api/campaigns -H "Authorization: $TOKEN"'),
    },
  },
  answer: {
    title: 'an automatic answer',
    routes: [
      'POST /api/devices/incoming',
      'GET /api/devices/carriers/calls/:token',
      'POST /api/devices/carriers/calls/:token',
      'POST /api/mobile/v1/incoming/:path',
    ],
    by: [
      'gateway/device-api/device-routes.ts',
      'gateway/conversations/conversations-feature.ts',
      'gateway/conversations/send-auto-answers.ts',
      'gateway/conversations/due-answer.ts',
      'gateway/conversations/answer-pictures.ts',
    ],
    cells: {
      names: NAMES,
      given: not('noClient'),
      day: tested(
        'gateway/conversations/answers',
        'an answer has the date of a contact as its account writes it',
      ),
      ...SENT,
      onceByFile: not('noClient'),
      hidden: each('hidden', 'hiddenInFiles'),
      ...NO_CLIENT,
      stored: each('stored'),
      onceByReference: tested(
        'gateway/conversations/answers',
        'after a crash between sending the answer and recording it, no second answer is sent',
      ),
      consent: and(
        'consent',
        'gateway/conversations/answers',
        'an opted-out number gets no answer',
      ),
      accountBounds: and(
        'accountBounds',
        'gateway/messages/send/destinations.slow',
        'no automatic answer is sent to a forbidden destination',
      ),
      size: sized(
        'gateway/messages/send/hostile',
        'a hostile device can report a text of %s, stored once',
      ),
      console: and(
        'console',
        'browser/lines/auto-answers',
        'an automatic answer is created, sent, changed, disabled and deleted',
      ),
      docs: runs(
        'lines',
        'curl -s $URL/api/collections/auto_answers/records -H "Authorization: $TOKEN"',
      ),
    },
  },
  join: {
    title: 'the question to a person who joins',
    routes: ['POST /join/:id'],
    by: ['gateway/consent/routes.ts', 'gateway/consent/pages/send-join-question.ts'],
    cells: {
      ...NO_VALUES,
      ...SENT,
      ...WORDS,
      onceByKey: [
        test('gateway/consent/pages/join.slow', 'a number is asked once a minute'),
        test(
          'gateway/consent/join',
          'a number is asked once a minute, and gets a limited number of answers a day',
        ),
      ],
      keyBounds: not('noKey'),
      stored: each('stored'),
      onceByReference: not('noField'),
      consent: each('consent'),
      accountBounds: and(
        'accountBounds',
        'gateway/consent/pages/forged-joins.slow',
        'forged joins of numbers in other countries send no text',
      ),
      money: and(
        'money',
        'gateway/consent/join',
        'JOIN questions count as codes: an account asks at most its limit of codes an hour',
      ),
      size: sized('gateway/consent/pages/join.slow', 'a form above 16 KiB is refused'),
      hidden: and('hidden', 'gateway/consent/pages/join.slow', '%s, and no second text is sent'),
      console: and(
        'console',
        'browser/join-page',
        'a visitor without scripts joins by a page, and leaves by the link of a text',
      ),
      docs: runs(
        'consent',
        'curl -s $URL/api/collections/contact_groups/records -H "Authorization: $TOKEN"',
      ),
    },
  },
  hook: {
    title: 'a hook',
    routes: ['POST /api/hooks/:secret', 'POST /api/hooks'],
    by: [
      'gateway/hooks/routes.ts',
      'gateway/hooks/handle-hook-call.ts',
      'gateway/hooks/send-hook-texts.ts',
    ],
    cells: {
      ...NO_VALUES,
      names: NAMES,
      ...SENT,
      ...FILES,
      stored: and(
        'stored',
        'gateway/hooks/hooks',
        'a posted body is sent as a text by the hook, and the call is recorded',
      ),
      onceByKey: tested(
        'gateway/hooks/hook-events',
        'an event is sent once by two nodes that get it at the same moment',
      ),
      onceByReference: tested(
        'gateway/hooks/hook-events',
        'an event is sent once and its end once, however often both are repeated',
      ),
      onceByFile: tested(
        'gateway/hooks/hook-pictures.slow',
        'an event that is repeated with another picture is the same event, unless its key has the picture',
      ),
      keyBounds: not('noKey'),
      size: sized(
        'gateway/hooks/hook-bodies',
        'the body of a call of 2 MiB is accepted, and a larger one sends one text that says so',
      ),
      closedAccount: [
        test('gateway/hooks/hooks', 'a hook of a disabled account is answered with 404'),
        ...each('closedAccount', 'deletedAccount'),
      ],
      erased: and(
        'erased',
        'gateway/people/late-writers',
        'the call of a hook that would text an erased person is noted without its words',
      ),
      twoServers: and(
        'twoServers',
        'gateway/hooks/hook-events',
        'an event is sent once by two nodes that get it at the same moment',
      ),
      killed: and(
        'killed',
        'gateway/hooks/hook-events',
        'a crash while %s is written stores nothing, and the next call sends',
      ),
      console: and('console', 'browser/hooks', 'a hook is created, tested and sends a posted text'),
      docs: runs('hooks', 'curl -s $URL/api/hooks/$HOOK'),
    },
  },
  mail: {
    title: 'a mail',
    by: [
      'protocols/smtp/listen-for-mails.ts',
      'protocols/smtp/receive-mail.ts',
      'protocols/smtp/validate-recipient.ts',
    ],
    cells: {
      ...NO_VALUES,
      ...SENT,
      ...ASKED,
      ...FILES,
      onceByKey: and(
        'onceByKey',
        'protocols/smtp/smtp.slow',
        'a repeated Message-ID with the same text is sent once to each recipient, with another text again',
      ),
      onceByReference: not('noField'),
      onceByFile: tested(
        'protocols/smtp/mail-pictures.slow',
        'a mail that is repeated with %s is sent, to a number and by a hook',
      ),
      accountBounds: and(
        'accountBounds',
        'protocols/smtp/smtp.slow',
        'a recipient that the key or account may not reach is refused at RCPT',
      ),
      size: [
        test('protocols/smtp/smtp.slow', 'a mail is refused for %s with $3'),
        test(
          'protocols/smtp/smtp.slow',
          'a mail of 46,000 quoted lines is sent unchanged, and so is the next mail',
        ),
      ],
      killed: and(
        'killed',
        'protocols/smtp/killed.slow',
        "of 200 mails the hook's limit is sent; without a limit kill -9 loses no accepted mail and repeats no mail",
      ),
      docs: tested(
        'protocols/smtp/tools.slow',
        'a mail leaves with the host, the sign-in and the encryption of the configuration in the docs',
      ),
    },
  },
  typed: {
    title: 'a text typed on the phone',
    routes: ['POST /api/devices/typed'],
    by: ['gateway/device-api/device-routes.ts', 'gateway/conversations/store-typed-texts.ts'],
    cells: {
      ...NO_VALUES,
      ...WORDS,
      stored: each('stored'),
      onceByKey: tested(
        'gateway/conversations/typed-texts',
        'a typed text is a sent text of its owner in the conversation, and is never sent again',
      ),
      onceByReference: tested(
        'gateway/conversations/typed-texts',
        'a typed text is a sent text of its owner in the conversation, and is never sent again',
      ),
      onceAgain: not('hasLeft'),
      consent: not('hasLeft'),
      keyBounds: not('noKey'),
      accountBounds: not('hasLeft'),
      money: tested(
        'gateway/conversations/typed-texts',
        'a typed text is stored when quota and limits are used up, and does not count in them',
      ),
      size: sizes(),
      hidden: each('hidden'),
      erased: each('erased'),
      retention: each('retention'),
      closedAccount: each('closedAccount', 'deletedAccount'),
      cancel: not('hasLeft'),
      change: not('hasLeft'),
      twoServers: each('twoServers'),
      killed: each('killed'),
      status: tested(
        'gateway/conversations/typed-texts',
        'a typed text is a sent text of its owner in the conversation, and is never sent again',
      ),
      console: each('console'),
      docs: not('noLine'),
    },
  },
  twilio: {
    title: 'Twilio’s interface',
    protocol: 'twilio',
    routes: ['POST /2010-04-01/Accounts/:AccountSid/Messages.json'],
    by: ['protocols/twilio/twilio-routes.ts', 'protocols/twilio/create-message.ts'],
    cells: {
      ...NO_VALUES,
      ...SENT,
      ...ASKED,
      ...FILES,
      stored: and(
        'stored',
        'protocols/twilio/messages',
        "a new message has all of Twilio's keys and its first status",
      ),
      onceByKey: and(
        'onceByKey',
        'protocols/twilio/messages',
        'a repeated Idempotency-Key returns the first message, and another request with it is refused',
      ),
      onceByReference: not('noField'),
      consent: and(
        'consent',
        'protocols/twilio/messages',
        'a new message is refused to an opted-out number, with no message stored',
      ),
      accountBounds: and(
        'accountBounds',
        'gateway/messages/send/destinations.slow',
        '100 sends through all APIs to destinations forbidden for %s store and count nothing',
      ),
      size: sized(
        'protocols/twilio/messages',
        'a new message is refused in a body that is too large or has too many parameters',
      ),
      hidden: [
        test(
          'http/middleware/tenants-of-clients',
          "Twilio's API answers 404 for another user's account and messages: %s %s",
        ),
        ...each('hidden', 'hiddenInFiles'),
      ],
      retention: and(
        'retention',
        'protocols/twilio/callbacks',
        'status callbacks keep no copy of a redacted text',
      ),
      closedAccount: each('closedAccount', 'deletedAccount'),
      cancel: and(
        'cancel',
        'protocols/twilio/messages',
        'an update of a message cancels it, repeatedly, but not once a device has it',
      ),
      status: and(
        'status',
        'protocols/twilio/callbacks',
        'status callbacks report each later status in order, signed',
      ),
      docs: runs('twilio', 'SENT=$(curl -s $A/Messages.json -u "$ACCOUNT_SID:$AUTH_TOKEN"'),
    },
  },
  twiml: {
    title: 'a reply by TwiML',
    routes: [
      'POST /2010-04-01/Accounts/:AccountSid/IncomingPhoneNumbers/:Sid.json',
      'POST /api/webhooks/deliveries/:id/resend',
      'POST /api/webhooks/:id/resend-failed',
    ],
    by: [
      'protocols/twilio/twilio-routes.ts',
      'protocols/protocols.ts',
      'protocols/twilio/call-callback-url.ts',
      'protocols/twilio/answer-replies.ts',
      'protocols/twilio/plan-replies.ts',
    ],
    cells: {
      ...NO_VALUES,
      ...SENT,
      ...NO_CLIENT,
      ...FILES,
      onceByFile: not('noClient'),
      stored: each('stored'),
      onceByReference: tested(
        'protocols/twilio/incoming.slow',
        'a TwiML answer is executed once per text, even after a resend',
      ),
      consent: and(
        'consent',
        'protocols/twilio/incoming.slow',
        'a TwiML answer sends no reply to a number that has just said STOP',
      ),
      keyBounds: tested(
        'protocols/twilio/incoming.slow',
        "a TwiML answer sends replies only to destinations allowed for the SmsUrl's key",
      ),
      money: and(
        'money',
        'protocols/twilio/incoming.slow',
        'a TwiML answer that exceeds the quota sends no replies at all',
      ),
      size: sized(
        'protocols/twilio/hostile-answers',
        'a document of 1,000 messages is refused with few database lookups',
      ),
      docs: runs('twilio', 'curl -s $A/IncomingPhoneNumbers/$NUMBER_SID.json -u'),
    },
  },
  smsgate: {
    title: 'the SMSGate app',
    by: [],
    cells: {
      ...NO_VALUES,
      stored: tested(
        'gateway/smsgate-app/incoming',
        'an incoming text posted by a phone is stored once with its details',
      ),
      onceByKey: tested(
        'gateway/smsgate-app/incoming',
        'an incoming text posted by a phone is stored once with its details',
      ),
      onceByReference: tested(
        'gateway/smsgate-app/leases.slow',
        'a phone slower than its lease sends each text once and gets fewer texts at a time',
      ),
      onceAgain: not('toPhones'),
      onceByFile: [
        test(
          'gateway/smsgate-app/attachments',
          'a picture in an incoming message is another message than another picture of the same second, name and words',
        ),
        test(
          'gateway/smsgate-app/pictures.slow',
          'a phone sends each picture once while server, app and database are killed',
        ),
      ],
      consent: tested(
        'gateway/smsgate-app/cancel.slow',
        'a text that a phone has pulled is listed as canceled after %s, and costs nothing',
      ),
      keyBounds: not('noKey'),
      accountBounds: tested(
        'engine/files/room',
        'a picture above the storage limit is left out of its message, whose text says so',
      ),
      money: not('toPhones'),
      size: sized(
        'gateway/smsgate-app/incoming',
        'an incoming text posted by a phone is accepted even if a part is too long or missing',
      ),
      hidden: tested('gateway/smsgate-app/smsgate-routes.slow', '%s %s is for phones only'),
      erased: tested(
        'gateway/smsgate-app/cancel.slow',
        'a text that a phone has pulled is listed as canceled after %s, and costs nothing',
      ),
      retention: tested(
        'gateway/smsgate-app/attachments',
        'retention (%s) deletes files with the text for good',
      ),
      closedAccount: tested(
        'engine/auth/disabled.slow',
        'devices of a disabled user cannot post incoming texts to their own address',
      ),
      cancel: tested(
        'gateway/smsgate-app/cancel.slow',
        'a deleted text that a phone has pulled is listed as canceled in each pull until the phone confirms, and is not sent',
      ),
      change: tested(
        'gateway/smsgate-app/cancel.slow',
        'a text that is changed before the pull leaves with the new words, one that is pulled with the old',
      ),
      twoServers: tested(
        'gateway/smsgate-app/journey.slow',
        'a phone connected to one node receives texts accepted by another and reports to either',
      ),
      killed: tested(
        'gateway/smsgate-app/killed.slow',
        'phones with any version of the app send each text once while the server is killed',
      ),
      status: tested(
        'gateway/smsgate-app/smsgate-routes.slow',
        'pulled messages reported as %s (%s) become %s',
      ),
      console: tested(
        'browser/conversations/pictures',
        'MMS pictures are shown and enlarged, and executable files can only be downloaded',
      ),
      docs: runs('smsgate', 'curl -s $URL/api/devices/pairing -H "Authorization: $TOKEN"'),
    },
  },
  smsgateClient: {
    title: 'SMSGate’s interface',
    protocol: 'smsgate_clients',
    routes: ['POST /api/3rdparty/v1/messages'],
    by: ['protocols/smsgate-api/smsgate-api-routes.ts', 'protocols/smsgate-api/send-message.ts'],
    cells: {
      ...NO_VALUES,
      ...SENT,
      ...ASKED,
      ...FILES,
      stored: and(
        'stored',
        'protocols/smsgate-api/send',
        'a send is answered with 202, its state and location',
      ),
      onceByKey: and(
        'onceByKey',
        'protocols/smsgate-api/send',
        'a repeated Idempotency-Key returns the first send',
      ),
      onceByReference: and(
        'onceByReference',
        'protocols/smsgate-api/send',
        'ids of sends can be used once (409), but stay free after a refusal',
      ),
      consent: and(
        'consent',
        'protocols/smsgate-api/send',
        'a send to an opted-out number is accepted and fails',
      ),
      keyBounds: and(
        'keyBounds',
        'protocols/smsgate-api/credentials',
        'scopes of a key apply at once to a key in use',
      ),
      accountBounds: and(
        'accountBounds',
        'gateway/messages/send/destinations.slow',
        '100 sends through all APIs to destinations forbidden for %s store and count nothing',
      ),
      money: and(
        'money',
        'protocols/smsgate-api/send',
        'a send above the quota is answered with 402 and leaves its id free',
      ),
      size: sized('protocols/smsgate-api/send', 'a body that is too large (413)'),
      hidden: [
        test(
          'http/middleware/tenants-of-clients',
          "SMSGate's API shows and changes nothing of another user: %s %s",
        ),
        ...each('hidden', 'hiddenInFiles'),
      ],
      retention: and(
        'retention',
        'protocols/smsgate-api/states',
        'a message is shown without text and number after retention deleted them',
      ),
      closedAccount: [
        test(
          'protocols/smsgate-api/credentials',
          'a deleted key and the key of a disabled user are refused',
        ),
        ...each('closedAccount', 'deletedAccount'),
      ],
      cancel: and(
        'cancel',
        'protocols/smsgate-api/states',
        'canceling a send cancels waiting messages to %i recipients once',
      ),
      twoServers: and(
        'twoServers',
        'protocols/smsgate-api/nodes.slow',
        'of concurrent sends with one id on two nodes one is accepted',
      ),
      status: and(
        'status',
        'protocols/smsgate-api/states',
        'a send has the state %s if its recipients are %j',
      ),
      docs: runs('smsgate-clients', 'SENT=$(curl -s $URL/3rdparty/v1/messages -u'),
    },
  },
  mcp: {
    title: 'an assistant',
    protocol: 'mcp',
    routes: ['POST /mcp'],
    tools: ['send_message', 'send_template'],
    by: ['protocols/mcp/mcp-routes.ts', 'protocols/mcp/send-tools.ts'],
    cells: {
      names: NAMES,
      given: tested('protocols/mcp/mcp', 'an assistant gives a name to a number without a contact'),
      day: DAY,
      ...SENT,
      ...ASKED,
      ...FILES,
      stored: and(
        'stored',
        'protocols/mcp/mcp',
        'a client of the 2026 protocol sends, reads and cancels a message',
      ),
      onceByKey: and(
        'onceByKey',
        'protocols/mcp/mcp',
        'a repeated idempotency key sends once and is refused for another text',
      ),
      onceByReference: not('noField'),
      keyBounds: and(
        'keyBounds',
        'protocols/mcp/mcp',
        'a key can use only the tools that its scopes allow',
      ),
      accountBounds: and(
        'accountBounds',
        'gateway/messages/send/destinations.slow',
        '100 sends through all APIs to destinations forbidden for %s store and count nothing',
      ),
      size: sized(
        'protocols/mcp/hostile.slow',
        'a list of 10,000 wrong arguments is refused at its first fault',
      ),
      hidden: [
        test('protocols/mcp/mcp', "a user cannot reach another user's messages and templates"),
        ...each('hidden', 'hiddenInFiles'),
      ],
      cancel: and(
        'cancel',
        'protocols/mcp/one-message',
        'a message sent by %s can be canceled by each other API',
      ),
      status: and(
        'status',
        'protocols/mcp/one-message',
        'a message sent by %s has the same state in all other APIs until its delivery',
      ),
      docs: runs('assistants', 'curl -s $URL/mcp -H "X-API-Key: $KEY"'),
    },
  },
  smseagle: {
    title: 'SMSEagle’s interface',
    protocol: 'smseagle',
    routes: [
      'GET /http_api/send_sms',
      'POST /http_api/send_sms',
      'GET /http_api/send_togroup',
      'POST /http_api/send_togroup',
      'GET /http_api/send_tocontact',
      'POST /http_api/send_tocontact',
      'POST /jsonrpc/sms',
      'POST /api/v2/messages/sms',
    ],
    by: [
      ...BY_KEY,
      'protocols/smseagle/smseagle-routes.ts',
      'protocols/smseagle/api-v1.ts',
      'protocols/smseagle/send-to-named.ts',
    ],
    cells: {
      ...NO_VALUES,
      names: NAMES,
      ...DOOR,
      keyBounds: and(
        'keyBounds',
        'permission/matrix.slow',
        '%s is allowed exactly to the callers in its row',
      ),
      closedAccount: [
        test(
          'protocols/doors',
          'a missing scope, an exceeded quota and a disabled account are refused',
        ),
        ...each('closedAccount', 'deletedAccount'),
      ],
      size: [
        test('protocols/doors', '$at sends to SMS_MAX_RECIPIENTS numbers at most'),
        test(
          'protocols/door-limits',
          'SMSEagle sends to a group of SMS_MAX_RECIPIENTS people at most',
        ),
        test('protocols/door-limits', 'SMSEagle sends to SMS_MAX_RECIPIENTS contacts at most'),
        SIZES,
      ],
      docs: runs('recipes/doors', 'curl -s "$URL/http_api/send_sms" -d "access_token=$KEY"'),
    },
  },
  kannel: {
    title: 'Kannel’s interface',
    protocol: 'kannel',
    routes: ['GET /cgi-bin/sendsms'],
    by: [...BY_KEY, 'protocols/kannel.ts'],
    cells: {
      ...NO_VALUES,
      ...DOOR,
      keyBounds: and(
        'keyBounds',
        'permission/matrix.slow',
        '%s is allowed exactly to the callers in its row',
      ),
      size: [
        test('protocols/doors', '$at sends to SMS_MAX_RECIPIENTS numbers at most'),
        test('protocols/door-limits', '$at refuses an address of more than 16 KiB'),
        SIZES,
      ],
      docs: runs(
        'recipes/doors',
        'curl -s -G "$URL/cgi-bin/sendsms" -d username=ann@example.com -d "password=$KEY"',
      ),
    },
  },
  parts: {
    title: 'a text in parts',
    by: ['protocols/kannel.ts', 'gateway/messages/send/long-text-parts.ts'],
    cells: {
      ...NO_VALUES,
      ...SENT,
      ...ASKED,
      ...WORDS,
      onceByKey: tested(
        'protocols/kannel-parts',
        'a text in parts is sent once when its parts arrive at once, and are repeated',
      ),
      onceByReference: tested(
        'protocols/kannel-parts',
        'a reference that is used again joins the newer parts',
      ),
      size: sized('protocols/kannel-parts', 'no part of a text leaves that is too long as a whole'),
      twoServers: and(
        'twoServers',
        'protocols/kannel-parts',
        'a text in parts is sent once when its parts arrive at once, and are repeated',
      ),
      docs: not('noLine'),
    },
  },
  smsGateway: {
    title: 'the interface of SMS Gateway',
    protocol: 'sms_gateway',
    routes: ['POST /api/v1/sms/send'],
    by: [...BY_KEY, 'protocols/sms-gateway.ts'],
    cells: {
      ...NO_VALUES,
      ...DOOR,
      keyBounds: and(
        'keyBounds',
        'permission/matrix.slow',
        '%s is allowed exactly to the callers in its row',
      ),
      size: sized('protocols/doors', '$at sends to SMS_MAX_RECIPIENTS numbers at most'),
      docs: runs('recipes/doors', 'curl -s $URL/api/v1/sms/send -H "X-API-Key: $KEY"'),
    },
  },
  vendel: {
    title: 'Vendel’s interface',
    protocol: 'vendel',
    routes: ['POST /vendel/api/sms/send', 'POST /vendel/api/sms/send-template'],
    by: [...ACCEPT, 'protocols/vendel/vendel-routes.ts'],
    cells: {
      names: NAMES,
      given: tested('protocols/vendel/vendel', 'a template takes the name that a request gives'),
      day: DAY,
      ...DOOR,
      onceByKey: each('onceByKey'),
      onceByFile: tested(
        'protocols/vendel/vendel',
        'no file: a form with a file named %s is refused (%s)',
      ),
      keyBounds: and('keyBounds', 'protocols/vendel/vendel', 'a key without the scope'),
      money: and(
        'money',
        'protocols/vendel/vendel',
        'no text above the quota, which is the only 429',
      ),
      size: [
        test('protocols/vendel/vendel', 'no text with an invalid request (%s): $3'),
        test('protocols/door-limits', '$at sends 1,600 characters, and no more'),
        SIZES,
      ],
      status: and('status', 'protocols/vendel/vendel', 'a send and its messages'),
      docs: runs('recipes/doors', 'curl -s $URL/vendel/api/sms/send -H "X-API-Key: $KEY"'),
    },
  },
}

/** The rows whose cell of the promise names this test, by their names. */
export const rowsTriedBy = ({ file, title }: NamedTest): readonly string[] =>
  Object.entries(ROWS).flatMap(([name, { cells }]) =>
    Object.values(cells).some(
      (cell) =>
        Array.isArray(cell) &&
        cell.some((one) => 'file' in one && one.file === file && one.title === title),
    )
      ? [name]
      : [],
  )

/** The test that tries a promise on all ways. */
export const triedOnEach = (way: Way): NamedTest => EACH[way]
export type TriedOnEach = Way
