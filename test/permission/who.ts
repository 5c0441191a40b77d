// Who may do what: the table of the matrix. It imports nothing of src on purpose: a rule that is lost there
// is still written here.

const PEOPLE = ['viewer', 'agent', 'admin', 'owner']
const from = (role: string) => PEOPLE.slice(PEOPLE.indexOf(role))
const keys = (...names: string[]) => names.map((name) => `key: ${name}`)

/** Keys that have a scope of sending. The last two may send to +1 alone, or by another line alone. */
const SENDING = keys('default scopes', 'messages:send', 'all:any', 'twilio')
const CANCELING = keys('default scopes', 'messages:cancel', 'all:any', 'twilio')
const READING = keys('default scopes', 'messages:read', 'all:any', 'twilio')
const LISTING = keys('messages:list', 'all:any')
const BOUNDED = keys('other destinations', 'another line')
/** A new text to the number leaves by the other line. */
const NEW = [...SENDING, ...keys('another line')]

const STRANGERS = [
  ...['guest', 'former admin', 'hook', 'code service', ...READING, ...LISTING, ...SENDING],
  ...[...CANCELING, ...BOUNDED, ...keys('inbox:list', 'disabled', 'expired')],
]

export const WHO = {
  nobody: [],
  /** Public pages. */
  everybody: [
    ...[
      'guest',
      'former admin',
      'device',
      'hook',
      'code service',
      ...PEOPLE,
      ...READING,
      ...LISTING,
    ],
    ...[...SENDING, ...CANCELING, ...BOUNDED, ...keys('inbox:list', 'disabled', 'expired')],
  ],
  /** Not who is signed in, and may read the links of others. */
  strangers: STRANGERS,
  /** Whoever has the secret of an invitation and acts for nobody. */
  invited: [...STRANGERS, 'owner'],
  send: [...from('agent'), ...NEW],
  preview: [...from('agent'), ...NEW],
  sendByLine: [...from('agent'), ...SENDING],
  sendToMany: [...from('admin'), ...NEW],
  change: [...from('agent'), ...SENDING],
  changeMany: [...from('admin'), ...SENDING],
  /** An earlier end needs both scopes. */
  end: [...from('agent'), ...keys('default scopes', 'all:any', 'twilio')],
  cancel: [...from('agent'), ...CANCELING],
  retry: [...from('agent'), ...NEW],
  retryMany: [...from('admin'), ...NEW],
  campaign: from('admin'),
  /** A list; of campaigns, those that the caller has made. */
  list: [...from('agent'), ...SENDING, ...BOUNDED],
  steps: from('viewer'),
  verify: [...from('agent'), ...NEW],
  /** May send, if only to other numbers or by another line. */
  sending: [...from('agent'), ...SENDING, ...BOUNDED],
  usage: [...from('viewer'), ...READING, ...SENDING, ...BOUNDED],
  message: [...from('viewer'), ...READING],
  messages: [...from('viewer'), ...LISTING],
  /** A text by its id that another has sent. */
  messageOfOther: [...from('viewer'), ...keys('all:any')],
  /** Changes, cancels and retries of a text that another has sent. */
  actOnOther: [...from('agent'), ...keys('all:any')],
  contacts: [...from('viewer'), ...LISTING],
  /** The data of contacts in a preview. */
  previewed: [...from('agent'), ...keys('all:any')],
  inbox: [...from('viewer'), ...keys('inbox:list', 'all:any')],
  devices: [...from('viewer'), ...keys('inbox:list', 'all:any')],
  viewer: from('viewer'),
  agent: from('agent'),
  admin: from('admin'),
  /** The account itself: members are refused. */
  owner: from('owner'),
  device: ['device'],
  viewerOrDevice: [...from('viewer'), 'device'],
  ownerOrDevice: [...from('owner'), 'device'],
  /** Nobody here is one. */
  superuser: [],
  /** Of records: the rules of the collection decide, and the routes are asked for each collection. */
  rules: [],
  twilio: keys('twilio'),
  hook: ['hook'],
} as const satisfies Readonly<Record<string, readonly string[]>>
export type Who = keyof typeof WHO

export const isIn = (who: Who, caller: string) => (WHO[who] as readonly string[]).includes(caller)
