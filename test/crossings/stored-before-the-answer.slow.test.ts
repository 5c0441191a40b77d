import { until } from '../support/until.ts'
import { eachWay } from './each-way.ts'
import { handOut, isAccepted, nextNumber, nextWords, startCrossings, textsTo } from './ways-in.ts'

// Whoever gets a success may forget the text: it is stored. The database refuses one text here, as it would
// on a full disk: its client must not get a success.

const at = await startCrossings()
const { db } = at.server.server.services.store

await db.script(`create table refused_numbers (number text primary key);
  create function refuse_number() returns trigger language plpgsql as $$ begin
    if exists (select from refused_numbers where number = new."to") then
      raise 'no room' using errcode = '53100';
    end if;
    return new;
  end $$;
  create trigger refuse_number before insert on sms_messages for each row execute function refuse_number()`)

test.each(eachWay('stored'))(
  'a text by $title is stored when its answer is a success',
  async ({ way }) => {
    const shop = await at.makeShop()
    const text = { to: nextNumber(), words: nextWords() }
    await db.query('insert into refused_numbers values ($1)', [text.to])
    const refused = await way.send(at, shop, text)
    expect(await textsTo(at, shop, text.to)).toEqual([])
    if (!way.isOwn) expect(isAccepted(refused)).toBe(false)
    await db.query('delete from refused_numbers')
    if (way.isOwn) {
      // what the server has to do is stored, and it does it when it can
      await until('the text after a failed job', async () => {
        await db.query('update _jobs set due_at = now() where holder = $1 and due_at > now()', [
          shop.user.id,
        ])
        return (await textsTo(at, shop, text.to)).length > 0
      })
    } else {
      const answer = await way.send(at, shop, text)
      expect([isAccepted(answer), answer]).toEqual([true, expect.anything()])
    }
    expect(await textsTo(at, shop, text.to)).toHaveLength(1)
    expect(await handOut(at, shop)).toHaveLength(way.hasLeft ? 0 : 1)
  },
)
