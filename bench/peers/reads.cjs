// Reads as a plain program answers them, for `npm run bench:peers`: Express and undici, v1 asked every time, nothing kept.
const express = require('express');
const { Pool } = require('undici');

const v1 = new Pool(`http://127.0.0.1:${process.env.UPSTREAM_PORT}`);
const app = express();
app.use(express.json());

async function askV1(req, path, fields) {
  const [key] = req.get('authorization').split(' ')[1].split(':');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const method = fields === undefined ? 'GET' : 'POST';
  const answer = await v1.request({ method, path: `/v1${path}`, headers, body: fields && JSON.stringify(fields) });
  return (await answer.body.json()).data;
}

const told = (message) => ({
  status: 'success',
  Status: 'successful',
  success: true,
  message,
  msg: message,
  api_response: message,
});

app.get('/api/transaction/:id', async (req, res) => {
  const { id } = req.params;
  const { reference, phone, amount, balance_before, balance_after, created_at } = await askV1(req, `/receipt?reference=${id}`);
  res.json({
    ...told('Airtime purchase successful'),
    ...{ 'request-id': id, request_id: id, ident: reference, id: reference, reference, transid: reference },
    ...{ mobile_number: phone, phone, phone_number: phone, amount, plan_amount: String(amount), create_date: created_at },
    ...{
      paid_amount: balance_before - balance_after,
      oldbal: balance_before,
      newbal: balance_after,
      balance_before,
      balance_after,
    },
  });
});

app.get('/api/data_plans', async (req, res) => {
  const { data_plans } = await askV1(req, '/catalog');
  const shown = data_plans.map(
    ({ id, network, network_id, display_name: name, data_size, data_type, validity, selling_price }) => ({
      ...{ id, plan_id: id, network, network_name: network, network_id, name, plan_name: name, datasize: data_size, data_size },
      ...{ type: data_type, plan_type: data_type, day: validity, validity, price: Number(selling_price), plan_code: String(id) },
      status: 'active',
    }),
  );
  res.json(shown);
});

app.post('/api/validateiuc', async (req, res) => {
  const { smart_card_number: iuc, cablename } = req.body;
  const { name } = await askV1(req, '/validate-cable', { cable_id: 1, smartcard: iuc });
  const customer = { name, Customer_Name: name, customer_name: name };
  res.json({
    ...told('Successful.'),
    invalid: false,
    ...customer,
    iuc,
    smart_card_number: iuc,
    smartcard: iuc,
    cable: 1,
    cablename,
  });
});

app.listen(Number(process.env.PORT), '127.0.0.1');
