<?php
// The reads of reads.cjs in PHP with cURL, for `npm run bench:peers`.
header('Content-Type: application/json');
[$key] = explode(':', explode(' ', $_SERVER['HTTP_AUTHORIZATION'])[1]);
function ask_v1(string $path, ?array $fields = null): array {
  global $key;
  $call = curl_init('http://127.0.0.1:' . $_SERVER['UPSTREAM_PORT'] . "/v1$path");
  curl_setopt_array($call, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 30, CURLOPT_HTTPHEADER => ["Authorization: Bearer $key", 'Content-Type: application/json']]);
  if ($fields !== null) curl_setopt($call, CURLOPT_POSTFIELDS, json_encode($fields));
  return json_decode(curl_exec($call), true)['data'];
}
$told = fn(string $message) => ['status' => 'success', 'Status' => 'successful', 'success' => true, 'message' => $message, 'msg' => $message, 'api_response' => $message];
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/api/data_plans') {
  $reply = array_map(fn($plan) => [
    'id' => $plan['id'], 'plan_id' => $plan['id'], 'network' => $plan['network'], 'network_name' => $plan['network'], 'network_id' => $plan['network_id'],
    'name' => $plan['display_name'], 'plan_name' => $plan['display_name'], 'datasize' => $plan['data_size'], 'data_size' => $plan['data_size'],
    'type' => $plan['data_type'], 'plan_type' => $plan['data_type'], 'day' => $plan['validity'], 'validity' => $plan['validity'],
    'price' => (float) $plan['selling_price'], 'plan_code' => (string) $plan['id'], 'status' => 'active',
  ], ask_v1('/catalog')['data_plans']);
} elseif ($path === '/api/validateiuc') {
  ['smart_card_number' => $iuc, 'cablename' => $cable] = json_decode(file_get_contents('php://input'), true);
  ['name' => $name] = ask_v1('/validate-cable', ['cable_id' => 1, 'smartcard' => $iuc]);
  $reply = $told('Successful.') + ['invalid' => false, 'name' => $name, 'Customer_Name' => $name, 'customer_name' => $name,
    'iuc' => $iuc, 'smart_card_number' => $iuc, 'smartcard' => $iuc, 'cable' => 1, 'cablename' => $cable];
} else {
  $id = basename($path);
  ['reference' => $reference, 'phone' => $phone, 'amount' => $amount, 'balance_before' => $before, 'balance_after' => $after, 'created_at' => $at] = ask_v1('/receipt?reference=' . urlencode($id));
  $reply = $told('Airtime purchase successful') + ['request-id' => $id, 'request_id' => $id, 'ident' => $reference, 'id' => $reference, 'reference' => $reference, 'transid' => $reference,
    'mobile_number' => $phone, 'phone' => $phone, 'phone_number' => $phone, 'amount' => $amount, 'plan_amount' => (string) $amount, 'create_date' => $at,
    'paid_amount' => $before - $after, 'oldbal' => $before, 'newbal' => $after, 'balance_before' => $before, 'balance_after' => $after];
}
echo json_encode($reply);
