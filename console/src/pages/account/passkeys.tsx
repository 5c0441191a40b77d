import { useState } from 'preact/hooks'
import { pb, postRequest } from '../../data/client.ts'
import { createPasskey, isPasskeyHost } from '../../data/passkeys.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { t } from '../../language/words.ts'
import { Button, Notice } from '../../parts/form/form.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Reading } from '../../parts/page.tsx'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { Time } from '../../parts/time.tsx'
import { completeProof, type Factor, makeProofRows } from './proof.ts'

const PATH = '/api/account/passkeys'

interface Passkey {
  readonly id: string
  readonly name: string
  readonly created: string
  readonly used_at: string
  readonly host: string
}

/** Gets the recovery codes of the first second factor; [] after other changes. */
export type OnCodes = (codes: readonly string[]) => Promise<void>

type Change = { readonly how: 'add' } | { readonly how: 'rename' | 'remove'; readonly of: Passkey }

/** The passkeys of the person: to add, rename and remove. */
export function Passkeys({ factor, onChange }: { factor: Factor; onChange: OnCodes }) {
  const { value, fault, reload } = useAnswer<{ host: string; items: readonly Passkey[] }>(PATH)
  const [change, setChange] = useState<Change>()
  const isHere = isPasskeyHost(value?.host)
  const close = () => setChange(undefined)
  const finish: OnCodes = async (codes) => {
    close()
    await reload()
    await onChange(codes)
  }
  return (
    <>
      <h3>{t('Passkeys')}</h3>
      <Reading value={value} fault={fault} />
      {value && value.items.length > 0 && (
        <Table
          caption={t('Passkeys')}
          columns={makeColumns(value.host, setChange)}
          rows={value.items}
        />
      )}
      {value && !isHere && <p class="note">{explainHost(value.host)}</p>}
      {change ? (
        <ChangeForm factor={factor} change={change} onDone={finish} onCancel={close} />
      ) : (
        isHere && <Button onClick={() => setChange({ how: 'add' })}>{t('Add a passkey')}</Button>
      )}
    </>
  )
}

const explainHost = (host: string) =>
  host
    ? t('Passkeys are created and used at {host} only. Open the console there.', { host })
    : t('Passkeys need https and the name of a host: a superuser of this server sets PUBLIC_URL.')

const makeColumns = (
  host: string,
  onChange: (change: Change) => void,
): readonly Column<Passkey>[] => [
  {
    title: t('Name'),
    cell: (passkey) => (
      <>
        {passkey.name}
        {passkey.host !== host && (
          <Notice kind="warning">
            {t('Created for {host}: useless since the server has another address.', {
              host: passkey.host,
            })}
          </Notice>
        )}
      </>
    ),
  },
  { title: t('Created#passkey'), minor: true, cell: ({ created }) => <Time at={created} /> },
  {
    title: t('Last sign-in'),
    cell: ({ used_at }) => <Time at={used_at} none={t('Never')} />,
  },
  makeActionsColumn((of) => [
    { words: t('Rename'), onClick: () => onChange({ how: 'rename', of }) },
    { words: t('Remove'), onClick: () => onChange({ how: 'remove', of }) },
  ]),
]

const NAME_ROW = {
  name: 'name',
  label: t('Name of the passkey'),
  placeholder: t('My phone'),
  error: (typed: unknown) => (String(typed).trim() === '' ? t('Fill this in.') : undefined),
} as const

function ChangeForm({
  factor,
  change,
  onDone,
  onCancel,
}: {
  factor: Factor
  change: Change
  onDone: OnCodes
  onCancel: () => void
}) {
  const forms = {
    add: {
      rows: [NAME_ROW, ...makeProofRows(factor)],
      action: t('Create the passkey'),
      async save(_: object, { name, ...all }: Record<string, unknown>) {
        const options = await postRequest<object>(
          `${PATH}/options`,
          await completeProof(factor, all),
        )
        const credential = await createPasskey(options)
        const made = await postRequest<{ readonly recovery_codes: readonly string[] }>(PATH, {
          name,
          credential,
        })
        await onDone(made.recovery_codes)
        return t('You can sign in with the passkey now')
      },
    },
    rename: {
      rows: [NAME_ROW],
      action: t('Rename'),
      async save(_: object, { name }: Record<string, unknown>) {
        if (change.how === 'add') return undefined
        await pb.send(`${PATH}/${change.of.id}`, { method: 'PATCH', body: { name } })
        await onDone([])
        return t('Saved')
      },
    },
    remove: {
      rows: makeProofRows(factor),
      action: t('Remove the passkey'),
      async save(_: object, all: Record<string, unknown>) {
        if (change.how === 'add') return undefined
        await postRequest(`${PATH}/${change.of.id}/remove`, await completeProof(factor, all))
        await onDone([])
        return t('The passkey is removed')
      },
    },
  } as const
  const { rows, action, save } = forms[change.how]
  const stored = change.how === 'rename' ? { name: change.of.name } : { name: '' }
  return (
    <RowsForm
      key={change.how}
      draftKey={`passkey-${change.how}`}
      rows={rows}
      stored={stored}
      action={action}
      save={save}
      onCancel={onCancel}
    />
  )
}
