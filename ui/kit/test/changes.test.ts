import { expect, test } from 'vitest';
import { changesOf } from '../src/forms/changes.ts';

test('only changed fields are returned', () => {
  const before = { name: 'Phone', kind: 'phone', hub: '' };
  expect(changesOf({ ...before, name: 'Tablet' }, before)).toEqual({ name: 'Tablet' });
  expect(changesOf({ ...before }, before)).toEqual({});
});
