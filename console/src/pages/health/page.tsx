import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Health. */
export const Page = () => (
  <Frame title="Health">
    <Empty icon="health" title="Nothing to look at yet">
      Queue and devices stand here.
    </Empty>
  </Frame>
)
