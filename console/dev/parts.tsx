import { Avatar } from '../src/parts/avatar.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../src/parts/form/field.tsx'
import { Actions, Button, Notice } from '../src/parts/form/form.tsx'
import { More } from '../src/parts/form/more.tsx'
import { LabelChip } from '../src/parts/labels/label-chip.tsx'
import { LinkRows } from '../src/parts/link-rows.tsx'
import { Empty } from '../src/parts/list/empty.tsx'
import { Menu } from '../src/parts/list/menu.tsx'
import { type Column, Table } from '../src/parts/list/table.tsx'
import { Card, Facts, Page as Frame, Loading, Progress } from '../src/parts/page.tsx'
import { Tile } from '../src/parts/tile.tsx'
import { Badge } from '../src/parts/time.tsx'
import { showToast } from '../src/parts/toast.tsx'

const LONG = 'Karl-Friedrich Maximilian von Hohenstein-Waldburg zu Wolfegg'
const ARABIC = 'شكرا جزيلا، هل يمكنني تغيير الموعد؟'
const TONES = ['calm', 'busy', 'good', 'bad', 'warn'] as const
const KINDS = ['primary', 'plain', 'quiet', 'danger'] as const
const COLOURS = ['gray', 'red', 'orange', 'yellow', 'green', 'blue', 'purple'] as const

interface Row {
  readonly id: string
  readonly state: (typeof TONES)[number]
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Name', cell: ({ id }) => <bdi>{id}</bdi> },
  { title: 'State', cell: ({ state }) => <Badge tone={state}>{state}</Badge> },
  { title: 'Count', align: 'end', cell: () => '1,234' },
]

/** All parts of the console on one page: to look at after a change of styles, in both themes and all widths. */
export function Page() {
  return (
    <Frame
      title="Parts"
      text="What pages are made of."
      actions={<Button kind="primary">Add</Button>}
    >
      <nav class="tabs" aria-label="Tabs">
        <a href="#/parts" aria-current="page">
          Chosen
        </a>
        <a href="#/parts">Other</a>
      </nav>
      <Card title="Buttons">
        {[false, true].map((disabled) => (
          <div key={String(disabled)} class="row">
            {KINDS.map((kind) => (
              <Button key={kind} kind={kind} disabled={disabled} icon="check">
                {kind}
              </Button>
            ))}
            <Button icon="dots" iconOnly disabled={disabled}>
              Icon
            </Button>
            <Button kind="primary" busy={!disabled}>
              Busy
            </Button>
          </div>
        ))}
        <div class="row">
          <Menu words="Menu" icon="down">
            {(close) => (
              <Button kind="quiet" onClick={close}>
                {LONG}
              </Button>
            )}
          </Menu>
          <Button onClick={() => showToast('Saved', { words: 'Undo', onClick: () => {} } as never)}>
            Toast
          </Button>
        </div>
      </Card>
      <Card title="Words">
        <div class="row">
          {TONES.map((tone) => (
            <Badge key={tone} tone={tone}>
              {tone}
            </Badge>
          ))}
        </div>
        <div class="row">
          {COLOURS.map((color) => (
            <LabelChip key={color} label={{ name: color, color } as never} />
          ))}
        </div>
        {(['info', 'warning', 'wrong'] as const).map((kind) => (
          <Notice key={kind} kind={kind}>
            A notice of the kind {kind}.
          </Notice>
        ))}
        <Loading />
        <Progress value={40} max={100} label="40 of 100" />
      </Card>
      <Card title="A form">
        <div class="form">
          <TextField label="Name" name="name" value={LONG} onValue={() => {}} hint="A hint" />
          <TextField label="Wrong" name="wrong" value="" onValue={() => {}} error="Fill this in." />
          <SelectField
            label="Choice"
            name="choice"
            value="a"
            onValue={() => {}}
            choices={[['a', 'One']]}
          />
          <TextArea label="Text" name="text" value={ARABIC} onValue={() => {}} />
          <CheckField label="A check" name="check" value onValue={() => {}} />
          <More summary="More" isWrong={false}>
            <p>Folded</p>
          </More>
          <Actions>
            <Button kind="primary">Save</Button>
            <Button>Cancel</Button>
          </Actions>
        </div>
      </Card>
      <ul class="tiles">
        <Tile title="A figure" value="25" />
        <Tile title="A bad one" value="3" tone="bad" href="#/parts" note="with a note" />
      </ul>
      <Card title="Rows that lead on">
        <LinkRows
          rows={[
            {
              href: '#/parts?1',
              lead: 'devices',
              title: LONG,
              text: LONG,
              isCut: true,
              end: '5 min.',
            },
            {
              href: '#/parts?2',
              lead: 'warning',
              tone: 'bad',
              title: 'Failed',
              text: 'What to do.',
            },
            {
              href: '#/parts?3',
              lead: 'clock',
              tone: 'warn',
              title: 'Silent',
              text: 'Look at it.',
            },
            {
              href: '#/parts?4',
              lead: <Avatar name="أحمد حسن" of="1" />,
              title: 'أحمد حسن',
              text: ARABIC,
              isCut: true,
            },
          ]}
        />
      </Card>
      <Table
        caption="A table"
        columns={COLUMNS}
        rows={[LONG, ARABIC, 'Short'].map((id, i) => ({ id, state: TONES[i]! }))}
        href={() => '#/parts'}
      />
      <Card title="Facts">
        <Facts
          facts={[
            ['Name', <bdi key="1">{LONG}</bdi>],
            ['Number', '+49 1511 2000010'],
          ]}
        />
      </Card>
      <Empty icon="check" title="Nothing here">
        What to do first.
      </Empty>
    </Frame>
  )
}
