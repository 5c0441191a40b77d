import { LABEL_COLORS } from '#portable/label-colors.ts'
import { COLOR_WORDS } from '../../data/labels.ts'
import type { RecordOf } from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import { useCount } from '../../data/use/use-count.ts'
import { useLabels } from '../../data/use/use-list.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Dialog, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { LabelChip } from '../../parts/labels/label-chip.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { runWithToast } from '../../parts/toast.tsx'
import './page.css'
import { describeUses, makeLabelFilter } from './label-uses.ts'

type LabelRecord = RecordOf<'labels'>

/** The labels of the account. */
export const Page = () => (
  <ListPage
    title={t('Labels')}
    text={t('Words with a color for conversations and contacts.')}
    list={useLabels()}
    columns={makeLabelColumns}
    icon="tag"
    none={[
      t('No labels yet'),
      t('A label such as VIP or Complaint sorts conversations. A number keeps its labels.'),
    ]}
    add={t('New label')}
    needs="agent"
    dialog={(label, close) => <LabelForm label={label} onClose={close} />}
  />
)

const makeLabelColumns = (edit: (label: LabelRecord) => void): readonly Column<LabelRecord>[] => [
  {
    title: t('Name'),
    cell: (label) => (
      <span class="labels-whole">
        <LabelChip label={label} />
      </span>
    ),
  },
  { title: t('Conversations'), cell: ({ id }) => <Labelled collection="conversations" id={id} /> },
  { title: t('Contacts'), cell: ({ id }) => <Labelled collection="contacts" id={id} /> },
  makeActionsColumn(
    (label) => [
      { icon: 'edit', words: t('Change {name}', label), onClick: () => edit(label) },
      ...(hasTeamRole('admin')
        ? [
            {
              icon: 'trash' as const,
              words: t('Delete {name}', label),
              onClick: () => void runWithToast(() => deleteLabel(label)),
            },
          ]
        : []),
    ],
    'agent',
  ),
]

const LabelForm = ({ label, onClose }: { label: LabelRecord | undefined; onClose: () => void }) => (
  <Dialog title={label ? t('Change the label') : t('New label')} onClose={onClose}>
    <RecordForm
      collection="labels"
      record={label}
      rows={[
        {
          name: 'name',
          label: t('Name'),
          autofocus: true,
          refused: t('There is a label with this name already.'),
        },
        {
          name: 'color',
          label: t('Color'),
          choices: LABEL_COLORS.map((color) => [color, COLOR_WORDS[color]] as const),
        },
      ]}
      blank={{ color: 'gray' }}
      saved={label ? t('Label saved') : t('Label created')}
      onClose={onClose}
    />
  </Dialog>
)

async function deleteLabel(label: LabelRecord): Promise<void> {
  const text = await describeUses(label.id)
  const question = { title: t('Delete the label {name}?', label), text }
  await deleteRecord(label, question, t('Label deleted'))
}

function Labelled({ collection, id }: { collection: string; id: string }) {
  const count = useCount(collection, makeLabelFilter(id))
  return count === undefined ? <span class="muted">…</span> : <span>{formatNumber(count)}</span>
}
