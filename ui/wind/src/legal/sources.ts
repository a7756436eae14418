import * as m from '../paraglide/messages.js';

export interface Source {
  name: string;
  what: () => string;
  licence: string;
  address: string;
}

/** Everything shown that was not measured or computed by this site. */
export const SOURCES: Source[] = [
  {
    name: 'Deutscher Wetterdienst (DWD)',
    what: m.source_dwd_what,
    licence: 'CC BY 4.0',
    address: 'https://opendata.dwd.de',
  },
  {
    name: 'ECMWF',
    what: m.source_ecmwf_what,
    licence: 'CC BY 4.0',
    address: 'https://www.ecmwf.int/en/forecasts/datasets/open-data',
  },
  {
    name: 'NOAA',
    what: m.source_noaa_what,
    licence: 'Public domain',
    address: 'https://www.nco.ncep.noaa.gov',
  },
  {
    name: 'Météo-France',
    what: m.source_meteofrance_what,
    licence: 'Licence Ouverte 2.0 (Etalab)',
    address: 'https://meteo.data.gouv.fr',
  },
  {
    name: 'Open-Meteo, Copernicus ERA5',
    what: m.source_open_meteo_what,
    licence: 'CC BY 4.0',
    address: 'https://open-meteo.com',
  },
  {
    name: 'Wasserstraßen- und Schifffahrtsverwaltung (WSV), PEGELONLINE',
    what: m.source_wsv_what,
    licence: 'DL-DE Zero 2.0',
    address: 'https://www.pegelonline.wsv.de',
  },
  {
    name: 'GeoNames',
    what: m.source_geonames_what,
    licence: 'CC BY 4.0',
    address: 'https://www.geonames.org',
  },
  {
    name: 'OpenStreetMap contributors',
    what: m.source_osm_what,
    licence: 'ODbL 1.0',
    address: 'https://www.openstreetmap.org/copyright',
  },
  {
    name: 'GSHHG (Wessel, Smith)',
    what: m.source_gshhg_what,
    licence: 'LGPL 3.0',
    address: 'https://www.soest.hawaii.edu/pwessel/gshhg/',
  },
  {
    name: 'Natural Earth',
    what: m.source_natural_earth_what,
    licence: 'Public domain',
    address: 'https://www.naturalearthdata.com',
  },
  {
    name: 'Terrain Tiles (Mapzen)',
    what: m.source_terrain_what,
    licence:
      'ETOPO1: NOAA. SRTM, GMTED2010, 3DEP: USGS. EU-DEM: Copernicus. ArcticDEM: DigitalGlobe, NSF. ' +
      'Austria: offene Daten Österreichs. Australia: Geoscience Australia. Canada: Open Government ' +
      'Licence. Mexico: INEGI. New Zealand: LINZ. Norway: Kartverket. UK: Environment Agency.',
    address: 'https://github.com/tilezen/joerd',
  },
  {
    name: 'airportsdata',
    what: m.source_airports_what,
    licence: 'MIT',
    address: 'https://github.com/mborsetti/airportsdata',
  },
];
