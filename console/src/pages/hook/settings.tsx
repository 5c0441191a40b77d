import { useState } from 'preact/hooks'
import { PRESETS } from '#portable/hook-presets.ts'
import { nameChoices } from '../../data/choices.ts'
import { describeLine } from '../../data/device/lines.ts'
import { useCountry } from '../../data/phone/default-country.ts'
import { describeFaults, readNumbers } from '../../data/phone/number-list.ts'
import type { ContactGroup, Line } from '../../data/record-types.ts'
import { discardUnsavedDrafts } from '../../data/use/use-draft.ts'
import { useGroups, useLabels, useLines } from '../../data/use/use-list.ts'
import { HOOK_TOOLS, type Hook, type HookPreset } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import { deleteRecord } from '../../parts/dialog/dialog.tsx'
import { NumberCountry } from '../../parts/form/country-field.tsx'
import { Button } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { makeAddressesRow, makeHoursRows, makeLabelRow } from '../../parts/rows/common-rows.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import type { Values } from '../../parts/rows/values.ts'
import { goToPage } from '../../router.ts'

export interface Unsaved {
  readonly hook: Pick<Hook, 'preset'>
  readonly isChanged: boolean
}

export function Settings({ hook, onTyped }: { hook: Hook; onTyped: (unsaved: Unsaved) => void }) {
  const { items: groups } = useGroups()
  const lines = useLines()
  const labels = useLabels().items
  const [country, onCountry] = useCountry()
  const [preset, setPreset] = useState(hook.preset)
  return (
    <Card title={t('Settings')}>
      <RecordForm
        collection="hooks"
        record={hook}
        rows={makeHookRows({ preset, groups, lines, labels, country, onCountry })}
        saved={t('Incoming webhook saved')}
        asks
        onTyped={(all, isChanged) => {
          const typed = all as unknown as Unsaved['hook']
          setPreset(typed.preset)
          onTyped({ hook: typed, isChanged })
        }}
      >
        <Button kind="danger" icon="trash" onClick={() => void deleteHook(hook)}>
          {t('Delete')}
        </Button>
      </RecordForm>
    </Card>
  )
}

const deleteHook = (hook: Hook) =>
  deleteRecord(
    hook,
    {
      title: t('Delete the incoming webhook?'),
      text: t('Programs that call {name} are refused from now on.', { name: hook.name }),
      action: t('Delete the incoming webhook'),
    },
    t('Incoming webhook deleted'),
    () => {
      discardUnsavedDrafts()
      goToPage('/hooks')
    },
  )

const MOST_NAMED = 3
const TOOLS = Object.entries(HOOK_TOOLS).map(([preset, { name }]) => [preset, name] as const)

interface Around {
  readonly preset: HookPreset
  readonly groups: readonly ContactGroup[]
  readonly lines: readonly Line[]
  readonly labels: Parameters<typeof makeLabelRow>[0]
  /** The country to which numbers without a country code belong. */
  readonly country: string
  readonly onCountry: (country: string) => void
}

/** Whether the program that calls the hook names the recipient in each call, as auth servers do. */
const isRecipientNamed = ({ preset }: Values) => PRESETS[preset as HookPreset].codes !== undefined
const isNoRecipientNamed = (values: Values) => !isRecipientNamed(values)

const makeHookRows = ({
  preset,
  groups,
  lines,
  labels,
  country,
  onCountry,
}: Around): readonly FormRow[] => [
  { name: 'name', label: t('Name') },
  {
    name: 'preset',
    label: t('Program'),
    choices: TOOLS,
    hint: t('Fields that you leave empty are set as this program needs them.'),
  },
  {
    name: 'signing_secret',
    label: t('Secret of its signature'),
    spellcheck: false,
    shown: ({ preset, signing_secret }) =>
      signing_secret !== '' || PRESETS[preset as HookPreset].codes?.signed !== undefined,
    hint: t(
      'Copy the secret from the program. Bodies that are not signed with the secret are then refused.',
    ),
  },
  {
    name: 'kind',
    label: t('It sends'),
    read: (kind) => String(kind || 'alerts'),
    shown: isNoRecipientNamed,
    choices: [
      ['alerts', t('Alerts and other news')],
      ['codes', t('Verification codes')],
    ],
    hint: ({ kind }) =>
      kind === 'codes'
        ? t('Above the hourly limit, calls are refused. Bodies are not kept.')
        : t('Above the hourly limit, one text says how many more there were.'),
  },
  {
    name: 'recipients',
    label: t('Texts go to these numbers'),
    kind: 'list',
    shown: isNoRecipientNamed,
    placeholder: '+4915112345678, +4915187654321',
    write: (typed) => readNumbers(String(typed), country).map(({ phone }) => phone),
    error: (typed) => {
      const bad = readNumbers(String(typed), country).filter(({ fault }) => fault)
      return bad.length > 0 ? describeFaults(bad, MOST_NAMED) : undefined
    },
  },
  ({ values }) =>
    isNoRecipientNamed(values) && <NumberCountry value={country} onValue={onCountry} />,
  {
    name: 'groups',
    label: t('and to these groups'),
    class: 'group-choice',
    shown: (values) => isNoRecipientNamed(values) && groups.length > 0,
    choices: nameChoices(groups),
  },
  {
    name: 'template',
    label: t('Template'),
    rows: 4,
    spellcheck: false,
    placeholder: t('As {program} needs it', { program: HOOK_TOOLS[preset].name }),
    hint: t(
      'Braces take values out of the body: {{title}}, {{alerts.0.labels.job}}. {{#each alerts}}…{{/each}} repeats a part, {{#if title}}…{{/if}} shows it only with a value.',
    ),
  },
  ({ values, change }) =>
    values.template === '' &&
    PRESETS[preset].template !== '' && (
      <Button kind="quiet" onClick={() => change({ template: PRESETS[preset].template })}>
        {t('Begin with the template for {program}', { program: HOOK_TOOLS[preset].name })}
      </Button>
    ),
  {
    summary: t('More: repetitions, quiet hours, line'),
    folded: makeMoreHookRows(preset, lines, labels),
  },
  { name: 'enabled', label: t('Switched on') },
]

const makeMoreHookRows = (
  preset: HookPreset,
  lines: readonly Line[],
  labels: Parameters<typeof makeLabelRow>[0],
): readonly FormRow[] => [
  {
    name: 'once_key',
    label: t('Send once'),
    placeholder: PRESETS[preset].once_key,
    hint: t('Bodies in which this is the same are sent once, such as {{id}}.'),
  },
  { name: 'once_minutes', label: t('Within how many minutes'), hint: t('0: each body is sent.') },
  {
    name: 'send_when',
    label: t('Send only if'),
    placeholder: 'workflow_run.conclusion=failure,timed_out',
    hint: t('A path in the body and its values. Empty: each body is sent.'),
  },
  {
    name: 'resolved',
    label: t('When all is well again'),
    read: (choice) => String(choice || 'send'),
    choices: [
      ['send', t('a text is sent')],
      ['skip', t('no text is sent')],
    ],
  },
  {
    name: 'resolved_when',
    label: t('How the body shows it'),
    placeholder: PRESETS[preset].resolved_when || 'status=resolved',
  },
  ...makeHoursRows(
    { from: 'quiet_from', to: 'quiet_to' },
    { from: t('Quiet from'), to: t('Quiet until') },
  ),
  {
    name: 'max_parts',
    label: t('Most segments of a text'),
    read: (parts) => String(parts || 3),
    hint: t('A longer text is cut: each segment costs as much as a text.'),
  },
  { name: 'rate', label: t('Most segments an hour'), hint: t('Counted once for all recipients.') },
  {
    name: 'line',
    label: t('Line'),
    kind: 'select',
    choices: [
      ['', t('Any line: they take turns')],
      ...lines.map((line) => [line.id, describeLine(line)] as const),
    ],
  },
  makeLabelRow(labels, t('The conversations with its recipients get it.')),
  makeAddressesRow(t('May be called only from')),
  {
    name: 'recipients_from',
    label: t('Recipients that the body names'),
    placeholder: 'commonLabels.team',
    hint: t(
      'The place in the body of numbers or of names of your groups. Empty: the program cannot choose recipients.',
    ),
  },
  {
    name: 'pictures_from',
    label: t('Pictures that the body names'),
    placeholder: 'alerts.imageURL',
    shown: ({ kind }) => kind !== 'codes',
    hint: t(
      'The place in the body of the addresses of pictures, which go with the text; attachments: the pictures of a mail. Empty: none.',
    ),
  },
]
