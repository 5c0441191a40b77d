import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { chooseLanguage } from '../../console/src/language/language.ts'
import { cutPlace, t, tn, tx } from '../../console/src/language/words.ts'
import { REASONS } from '../../src/gateway/base/message-status.ts'
import { PARTS, type Part, readCatalogue, TEXTS, TRANSLATED } from './catalogues.ts'
import { readSource, SOURCES, type Text, textsOf } from './texts.ts'

/** Names, commands and code: the same in all languages. By the file that has them. */
const UNTRANSLATED: Readonly<Record<string, readonly string[]>> = {
  'data/words/message-states.ts': ['Canceled', 'Canceled on the phone'],
  'account/paste-install-link.tsx': ['http://…/_/#/pbinstall/…'],
  'account/page-frame.tsx': ['pocketsms', '.sheet .field input'],
  'account/this-phone.tsx': ['SMSGate'],
  'data/files/cell-text.ts': ['General'],
  'data/files/excel.ts': ['Index/Tables/', 'EncryptedPackage'],
  'data/files/read-xlsx.ts': ['no workbook', 'no sheet', 'no such column', 'General'],
  'data/carriers/carrier-words.ts': [
    ...[
      'Twilio',
      'Telnyx',
      'Vonage',
      'Plivo',
      'MessageBird',
      'Sinch',
      'Infobip',
      'GatewayAPI',
      'Clickatell',
    ],
  ],
  'data/device/simulated-phones.ts': ['Bearer {}'],
  'data/mark-browser.ts': ['signed_in=1; path=/leave; samesite=lax{}'],
  'pages/carrier/account-form-rows.ts': ['+15005550006, Acme'],
  'pages/carrier/callback.tsx': ['whsec_…'],
  'pages/carrier/custom-rows.ts': [
    'Bearer {{secret}}',
    'Ed25519',
    'JSON Web Token (HS256)',
    'failed, rejected',
  ],
  'data/failed.ts': [
    '{} && error_message != "Recipient has opted out" && error_message != "Recipient is on the stop list" && error_message != "No proof of consent" && error_message !~ "Outcome unknown%"',
    'status = "failed" && error_message ~ "Outcome unknown%"',
  ],
  'data/webhooks/hooks.ts': [
    'Alertmanager',
    'Grafana',
    'Uptime Kuma',
    'Home Assistant',
    'GitHub',
    'Sentry',
    'Stripe',
    ...['Supabase', 'Ory Kratos', 'Logto', 'Keycloak', 'Nhost'],
  ],
  'data/connection/outbox.ts': ['pocketsms.outbox.'],
  'data/connection/request-key.ts': ['pocketsms.draft.request-key.'],
  'data/use/media-queries.ts': [
    ...['(max-width: 719px)', '(max-width: 959px)', '(max-width: 1199px)', '(min-width: 1520px)'],
    ...['(min-width: 1280px)', '(min-width: 1600px)'],
    '(hover: hover) and (pointer: fine)',
  ],
  'data/use/use-draft.ts': ['pocketsms.draft.'],
  'parts/usage-plot/bar-chart.ts': ['(prefers-color-scheme: dark)'],
  'pages/account/sessions.tsx': [
    ...[
      'Edg',
      'Edge',
      'Opera',
      'Firefox/',
      'Firefox',
      'FxiOS/',
      'Chrome/',
      'Chrome',
      'CriOS/',
      'Safari/',
    ],
    ...['Safari', 'Android', 'Windows', 'Mac OS', 'CrOS', 'ChromeOS', 'Linux'],
  ],
  'pages/campaign/edit-dialog.tsx': ['variable {}'],
  'pages/collection/requests.tsx': [
    ...['JavaScript', '--data-urlencode {}', 'curl -G {}'],
    `import PocketBase from 'pocketbase'\n\nconst pb = new PocketBase({})\npb.authStore.save(process.env.TOKEN)\nconst found = await pb.collection({}).{}\nconsole.log(found)`,
  ],
  // another language's console reads the file, too
  'pages/contacts/contacts-csv.ts': ['Name', 'Number', 'Groups', 'Opted out'],
  'pages/devices/join.tsx': [
    'SMSGate',
    'HOST=0.0.0.0 npx pocketsms serve',
    'HOST=0.0.0.0 npm run demo',
  ],
  'pages/hook/settings.tsx': [
    'alerts.imageURL',
    'commonLabels.team',
    'workflow_run.conclusion=failure,timed_out',
  ],
  'pages/keys/new-key.tsx': [
    `curl {}/api/sms/send -H "X-API-Key: {}" \\\n  --json '{"recipients":["+4915112345678"],"body":"Hello"}'`,
    ...['AccountSid', 'AuthToken', 'API key SID', 'Authorization: Bearer {}'],
  ],
  'pages/message/steps.ts': ['Changed:'],
  'pages/messages/saved-menu.tsx': ['error_message ~ "Outcome unknown"'],
  'pages/send/composition-faults.ts': ['variable {}'],
  'pages/send/recipients/recipients-field.tsx': ['Enter'],
  'pages/send/what-field.tsx': ['variable {}'],
  'pages/settings/page.tsx': ['https://sms.example.com'],
  'pages/settings/rules.tsx': ['/api/sms/'],
  'pages/verify/service-dialog.tsx': ['en: Your code is {{code}}.', 'example.com', 'join page'],
  'pages/webhooks/page.tsx': ['webhook-signature'],
  'parts/dialog/dialog.tsx': [
    '.dialog-body :is(.field, .check) :is(input, select, textarea):enabled',
  ],
  'parts/rows/webhook-rows.tsx': ['+4915112345678, +4930*, DHL'],
  'reference/reference.ts': ['(prefers-color-scheme: dark)'],
  'parts/icon.tsx': ['M4 6h16M4 12h16M4 18h16'],
  'parts/list/arrows.ts': [
    ...['input, select, textarea, [role="listbox"]', 'tr, li', 'main li a[aria-current]'],
    'main :is(tbody tr, .conversations-list li) :is(a[href], button)',
  ],
  'parts/tile.tsx': ['tile {}'],
  'parts/list/jump-menu.tsx': ['main .card h2'],
  'parts/list/table.tsx': ['a, button, input, label, select'],
  'shell/keys.tsx': ['body, main, h1'],
  'shell/shortcuts.ts': ['input, select, textarea, [role="listbox"]'],
  'shell/language-switch.tsx': [
    ...['English', 'Deutsch', 'Español', 'Français', 'Português (Brasil)'],
  ],
  'shell/navigation.tsx': ['pocketsms'],
  'shell/palette.tsx': ['Ctrl K', 'Esc'],
}

const bare = TEXTS.filter(({ isWrapped }) => !isWrapped)
const isAllowed = ({ file, text }: Text) => UNTRANSLATED[file]?.includes(text) ?? false
const placeOf = ({ file, line, text }: Text) => `${file}:${line} ${text}`

test('every text shown to users is in the catalogue', () => {
  expect(
    bare.filter((text) => !isAllowed(text)).map(placeOf),
    'wrap them in t(), or add them to UNTRANSLATED in test/console/language.test.ts',
  ).toEqual([])
})

test('every text listed as untranslated is in use', () => {
  const named = Object.entries(UNTRANSLATED).flatMap(([file, all]) =>
    all.map((text) => `${file} ${text}`),
  )
  const needed = new Set(bare.map(({ file, text }) => `${file} ${text}`))
  expect(named.filter((text) => !needed.has(text))).toEqual([])
})

test('no style depends on a translated text', () => {
  const texts = new Set(TEXTS.filter(({ isWrapped }) => isWrapped).map(({ text }) => text))
  const selected = globSync('**/*.css', { cwd: SOURCES }).flatMap((file) =>
    [...readSource(file).matchAll(/\[(?:data-|aria-label|title)[\w-]*[*^$~]?="([^"]+)"/g)].map(
      ([selector, value]) => ({ selector: `${file}: ${selector}`, value: value! }),
    ),
  )
  expect(selected.filter(({ value }) => texts.has(value)).map(({ selector }) => selector)).toEqual(
    [],
  )
})

test.each([
  ['between tags', 'const a = <p>Nothing here</p>', 'Nothing here'],
  ['a single word between tags', 'const a = <p>new</p>', 'new'],
  ['in an attribute', 'const a = <Field label="name" />', 'name'],
  ['in a property', "const a = { words: 'yes' }", 'yes'],
  ['in a call', "toast('Contact saved')", 'Contact saved'],
  ['in a template', 'const a = `${count} messages were sent`', '{} messages were sent'],
  ['before a plus', "const a = 'Contact saved' + name", 'Contact saved'],
  ['as one of two', "const a = isOn ? 'Switch off' : t('Switch on')", 'Switch off'],
])('the search finds a text without t() %s: "$2"', (_, code, text) => {
  expect(textsOf('a.tsx', code).filter(({ isWrapped }) => !isWrapped)).toMatchObject([
    { text, line: 1 },
  ])
})

test("the gateway's reasons for failed messages have words in the console", () => {
  const source = readFileSync('console/src/data/words/message-states.ts', 'utf8')
  const known = [...source.matchAll(/^ {2}'?(.+?)'?: t\(/gm)].map(([, reason]) => reason)
  expect(Object.values(REASONS).filter((reason) => !known.includes(reason))).toEqual([])
})

/** What the first load shows, and what shows in notifications. The pages show all others. */
const SHOWN_BY = { first: firstLoad(), 'service-worker': new Set(['service-worker.ts']) }
/** The English texts of catalogues. */
const keys = TEXTS.filter(({ isWrapped, counted }) => isWrapped && !counted)
/** Those of them whose translations have plural forms. */
const counted = new Set(TEXTS.flatMap((text) => text.counted ?? []))

/** Sources that come with the first load: main.tsx and what it imports. */
function firstLoad(): Set<string> {
  const found = new Set<string>()
  const add = (file: string) => {
    if (found.has(file)) return
    found.add(file)
    const imports = readSource(file).matchAll(
      /^(?:import|export) (?!type )[^'"]*['"](\.[^'"]+\.tsx?)['"]/gm,
    )
    for (const [, to] of imports) add(posix.join(posix.dirname(file), to!))
  }
  add('main.tsx')
  return found
}

/** The texts that a part of a catalogue must have. */
function textsOfPart(part: Part): Set<string> {
  const of = (files: Set<string>) =>
    keys.filter(({ file }) => files.has(file)).map(({ text }) => text)
  if (part !== 'pages') return new Set(of(SHOWN_BY[part]))
  const first = new Set(of(SHOWN_BY.first))
  const others = keys.filter(({ file }) => file !== 'service-worker.ts').map(({ text }) => text)
  return new Set(others.filter((text) => !first.has(text)))
}

/** `{{name|there}}` is `{{name|}}`: the default after the bar is a word of the language. */
const placeholders = (text: string) =>
  [...text.matchAll(/\{+[^{}]*\}+|\$\d/g)].map(([found]) => found.replace(/\|[^}]*/, '|')).sort()

describe.each(TRANSLATED)('the catalogue %s', (language) => {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  // in French, the form for one is also that for none
  const isOneAlone = new Intl.PluralRules(language).select(0) !== 'one'

  test.each(PARTS)('has exactly the texts of %s', (part) => {
    const catalogue = readCatalogue(language, part)
    const needed = textsOfPart(part)
    expect(
      [...needed].filter((text) => !catalogue[text]),
      `add them to console/src/language/${language}/${part}.json`,
    ).toEqual([])
    expect(Object.keys(catalogue).filter((text) => !needed.has(text))).toEqual([])
    for (const [english, text] of Object.entries(catalogue)) {
      if (typeof text !== 'string') continue
      expect(counted.has(english), `${english}: needs plural forms`).toBe(false)
      expect(placeholders(text), english).toEqual(placeholders(english))
    }
  })

  test.each(PARTS)('breaks no line of %s before a unit, and none before a French sign', (part) => {
    const texts = Object.values(readCatalogue(language, part)).flatMap((text) =>
      typeof text === 'string' ? [text] : Object.values(text as Record<string, string>),
    )
    const unit = /[\d}] (?:ms|min|s|MB|Mo|Uhr)(?![\p{L}’])/u
    const sign = language === 'fr' ? /\S [:;?!»%]|« |\d h\b/ : unit
    expect(texts.filter((text) => unit.test(text) || sign.test(text))).toEqual([])
  })

  test.each(PARTS)('leaves no sentence of %s in English', (part) => {
    const same = Object.entries(readCatalogue(language, part)).filter(([english, text]) => {
      const words =
        cutPlace(english)
          .replace(/\{\w+\}/g, '')
          .match(/\p{L}+/gu) ?? []
      return text === cutPlace(english) && words.length > 2
    })
    expect(same).toEqual([])
  })

  test.each(PARTS)('has the plural forms of its language for each count of %s', (part) => {
    for (const [english, forms] of Object.entries(readCatalogue(language, part))) {
      if (typeof forms === 'string') continue
      expect(Object.keys(forms).sort(), english).toEqual([...pluralCategories].sort())
      for (const [form, text] of Object.entries(forms)) {
        const named = placeholders(text)
        const isNumberLeftOut = form === 'one' && isOneAlone && !named.includes('{count}')
        expect(named, `${english}: ${form}`).toEqual(
          placeholders(english).filter((name) => name !== '{count}' || !isNumberLeftOut),
        )
      }
    }
  })
})

test('a place behind an English text has other words in some language', () => {
  const catalogues = TRANSLATED.map((language) => ({
    ...readCatalogue(language, 'first'),
    ...readCatalogue(language, 'pages'),
  }))
  const all = Object.keys(catalogues[0]!)
  const hasOwnWords = (key: string) => {
    const others = all.filter((other) => other !== key && cutPlace(other) === cutPlace(key))
    return catalogues.some((texts) =>
      others.some((other) => JSON.stringify(texts[other]) !== JSON.stringify(texts[key])),
    )
  }
  const placed = all.filter((key) => cutPlace(key) !== key)
  expect(placed).toContain('From#day')
  expect(placed.filter((key) => !hasOwnWords(key))).toEqual([])
})

describe('a text', () => {
  test('formats numbers as the language does', () => {
    expect(t('{count} of {total}', { count: 1234, total: '5' })).toBe('1,234 of 5')
  })

  test("keeps a template's variables", () => {
    expect(t('Hello {{name}}, {name}', { name: 'Ann' })).toBe('Hello {{name}}, Ann')
  })

  test('differs for one and for many', () => {
    expect([0, 1, 2].map((count) => tn('one', '{count} of them', count))).toEqual([
      '0 of them',
      'one',
      '2 of them',
    ])
  })

  test('is shown without its place', () => {
    expect([t('From#day'), tn('1 new', '{count} new#conversations', 2)]).toEqual(['From', '2 new'])
  })

  test('can contain elements', () => {
    const link = { type: 'a' }
    expect(tx('See {link}.', { link })).toEqual(['See ', link, '.'])
  })
})

test.each([
  [['de-AT', 'en'], { language: 'de', locale: 'de-AT' }],
  [['fr-CA', 'en-GB', 'de'], { language: 'fr', locale: 'fr-CA' }],
  [['it-IT', 'pt-PT', 'de'], { language: 'pt', locale: 'pt-PT' }],
  [['DE'], { language: 'de', locale: 'DE' }],
  [['den'], { language: 'en', locale: 'en' }],
  [['de-@', 'en-US'], { language: 'en', locale: 'en-US' }],
  [[], { language: 'en', locale: 'en' }],
])('for a browser with the languages %j the console chooses %j', (wanted, choice) => {
  expect(chooseLanguage(wanted)).toEqual(choice)
})
