import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Usage. */
export const Page = () => (
  <Frame title="Usage">
    <Empty icon="usage" title="Nothing sent yet">
      Figures stand here after the first message.
    </Empty>
  </Frame>
)
