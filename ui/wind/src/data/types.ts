import type { components } from '../api.d.ts';

type Schemas = components['schemas'];

export type Alarm = Schemas['Alarm'];
export type AlarmChange = Schemas['AlarmChange'];
export type AlarmWindow = Schemas['AlarmWindow'];
export type Best = Schemas['BestForecast'];
/** The generated types do not know that there are always two hours. */
export type Bucket = Omit<Schemas['Bucket'], 'hours'> & { hours: number[] };
export type Favorite = Schemas['Favorite'];
export type Gauge = Schemas['NearGauge'];
export type GaugePin = Schemas['Gauge'];
export type GearItem = Schemas['GearItem'];
export type HistoryEntry = Schemas['HistoryEntry'];
/** The description of a texture with `layer` in its address. */
export type LayerMeta = Omit<Schemas['Meta'], 'channels' | 'unit'> & {
  layer: string;
  channel: Schemas['Channel'];
};
export type LiveWind = Schemas['Live'];
export type MapModel = Schemas['MapModel'];
export type Me = Schemas['Me'];
export type Measurement = Schemas['Measurement'];
export type Meta = Schemas['Meta'];
export type Model = Schemas['ModelInfo'];
export type Month = Schemas['Month'];
export type Overview = Schemas['Overview'];
export type Passkey = Schemas['PasskeyShown'];
export type Pin = Schemas['Pin'];
export type Place = Schemas['Place'];
export type Preview = Schemas['Preview'];
export type Ranking = Omit<Schemas['Ranking'], 'buckets'> & { buckets: Bucket[] };
export type Sector = Schemas['Sector'];
export type Series = Schemas['ForecastSeries'];
export type Site = Schemas['Site'];
export type Span = Schemas['Span'];
export type SpotOutlook = Schemas['SpotOutlook'];
export type Station = Schemas['Station'];
export type Strip = Schemas['Strip'];
export type Taf = Schemas['Taf'];
export type WaveSeries = Schemas['WaveSeries'];
export type Verification = Omit<Schemas['Verification'], 'leads'> & { leads: VerifiedLeads[] };
/** The generated types do not know that there are always two hours. */
export type VerifiedLeads = Omit<Schemas['VerifiedLeads'], 'hours'> & { hours: number[] };
