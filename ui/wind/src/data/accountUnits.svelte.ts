import { attempt, body } from '@quartet/kit';
import { api } from '../service.ts';
import { signedIn } from './me.svelte.ts';
import { height, rain, temperature } from './measures.svelte.ts';
import type { Me } from './types.ts';
import { unit } from './unit.svelte.ts';

type Units = NonNullable<Me['units']>;

const USUAL: Units = { wind: 'kn', temperature: 'c', rain: 'mm', height: 'm' };

const chosen = (): Units => ({
  wind: unit.current,
  temperature: temperature.current,
  rain: rain.current,
  height: height.current,
});

const same = (one: Units, other: Units): boolean =>
  (Object.keys(USUAL) as (keyof Units)[]).every((name) => one[name] === other[name]);

function adopt(units: Units): void {
  unit.choose(units.wind ?? USUAL.wind!);
  temperature.choose(units.temperature ?? USUAL.temperature!);
  rain.choose(units.rain ?? USUAL.rain!);
  height.choose(units.height ?? USUAL.height!);
}

/**
 * Keeps the units of this browser and of the account equal, for messages and other browsers.
 *
 * A choice made on this page counts more than the account, which counts more than an older choice
 * of this browser.
 */
export function followUnitsOfAccount(): void {
  let known = chosen();
  let seen: Me | null | undefined;

  async function save(units: Units): Promise<void> {
    known = units;
    await attempt(async () => {
      const me = await body(api.PATCH('/api/me', { body: { units } }));
      // Another choice may have been made since.
      if (known === units) signedIn.enter(me);
    });
  }

  $effect(() => {
    const { me } = signedIn;
    const now = chosen();
    if (me && me !== seen) {
      const fresh = !same(now, known);
      known = me.units ?? USUAL;
      if (me.units && !fresh) adopt(me.units);
      else if (!same(now, known)) void save(now);
    } else if (me && !same(now, known)) void save(now);
    else if (!me && seen) known = now;
    seen = me;
  });
}
